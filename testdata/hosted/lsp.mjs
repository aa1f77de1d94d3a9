// A language client that speaks the session methods: what agent-ls calls a rich
// client.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export class Client {
  #child
  #id = 0
  #calls = new Map()
  #buffer = Buffer.alloc(0)
  #waiting = new Set()
  // answers are the results of requests of the server, by method.
  answers = {}
  // heard are the notifications and requests of the server, in order.
  heard = []
  stderr = ''

  constructor(program, args, options) {
    this.#child = spawn(program, args, { ...options, stdio: 'pipe' })
    this.#child.stdout.on('data', data => this.#read(data))
    this.#child.stderr.on('data', data => (this.stderr += data))
    this.#child.on('exit', () => {
      for (const { reject } of this.#calls.values()) reject(new Error(`the server has ended: ${this.stderr}`))
    })
  }

  #read(data) {
    this.#buffer = Buffer.concat([this.#buffer, data])
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(this.#buffer.toString('latin1', 0, end))[1])
      if (this.#buffer.length < end + 4 + length) return
      const body = this.#buffer.toString('utf8', end + 4, end + 4 + length)
      this.#buffer = this.#buffer.subarray(end + 4 + length)
      this.#take(JSON.parse(body))
    }
  }

  #take(message) {
    if (message.method === undefined) {
      const call = this.#calls.get(message.id)
      this.#calls.delete(message.id)
      if (message.error) call.reject(new Error(`${call.method}: ${JSON.stringify(message.error)}`))
      else call.resolve(message.result)
      return
    }
    this.heard.push(message)
    if (message.id !== undefined) {
      const answer = this.answers[message.method]
      this.#send({ id: message.id, result: answer ? answer(message.params) : null })
    }
    for (const waiter of this.#waiting) waiter()
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    this.#child.stdin.write(body)
  }

  call(method, params) {
    const id = ++this.#id
    this.#send({ id, method, params })
    return new Promise((resolve, reject) => this.#calls.set(id, { method, resolve, reject }))
  }

  notify(method, params) {
    this.#send({ method, params })
  }

  // until waits until check returns something, asked again after each message.
  until(check) {
    return new Promise(resolve => {
      const waiter = () => {
        const found = check()
        if (!found) return
        this.#waiting.delete(waiter)
        resolve(found)
      }
      this.#waiting.add(waiter)
      waiter()
    })
  }

  // cards are the calls of a session as a client shows them: each update
  // replaces what it holds.
  cards(session) {
    const cards = new Map()
    for (const { method, params } of this.heard) {
      if (method !== 'session/update' || params.sessionId !== session) continue
      const { sessionUpdate, _meta, ...u } = params.update
      if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') continue
      const card = cards.get(u.toolCallId) ?? { output: '' }
      cards.set(u.toolCallId, { ...card, ...u, output: card.output + (_meta?.terminal_output?.data ?? ''), exit: _meta?.terminal_exit ?? card.exit })
    }
    return [...cards.values()]
  }

  async close() {
    const gone = once(this.#child, 'exit')
    await this.call('shutdown')
    this.notify('exit')
    await gone
  }
}
