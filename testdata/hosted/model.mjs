// A model's server for tests: chat completions (/v1/chat/completions) and
// messages (/v1/messages), streamed. The user's prompt says what it does, one
// line a step:
//
//	read FILE
//	edit FILE OLD => NEW
//	run COMMAND
//	say TEXT
//
// Each step but say is a call of the tool that the request offers for it, under
// the names that its schema has. After the last step it says "finished".
import http from 'node:http'

const tools = { read: ['read'], edit: ['edit'], run: ['bash'] }

// steps are the lines of a prompt that are steps.
const steps = text => text.split('\n').map(l => l.trim().match(/^(read|edit|run|say) (.+)$/)).filter(Boolean).map(m => [m[1], m[2]])

// textOf joins the text of a message's content.
const textOf = content => typeof content === 'string' ? content : (content ?? []).filter(b => b.type === 'text').map(b => b.text).join('\n')

// progress finds the last prompt with steps and counts the results since.
function progress(messages) {
  let done = 0
  for (const m of messages.toReversed()) {
    const found = m.role === 'user' ? steps(textOf(m.content)) : []
    if (found.length > 0) return { steps: found, done } // results beside a prompt are of the one before
    const results = Array.isArray(m.content) ? m.content.filter(b => b.type === 'tool_result').length : 0
    done += results + (m.role === 'tool' ? 1 : 0)
  }
  return { steps: [], done }
}

// find returns the name of the offered tool for a step and its parameters.
function find(step, offered) {
  const tool = offered.find(t => tools[step].includes(t.name.toLowerCase()))
  if (!tool) throw new Error(`no tool for ${step} among ${offered.map(t => t.name)}`)
  const names = Object.keys(tool.schema.properties)
  const name = (...words) => names.find(n => words.includes(n.toLowerCase().replaceAll('_', '')))
  return { tool, name }
}

// call is the call that a step makes.
function call([step, rest], offered) {
  const { tool, name } = find(step, offered)
  const args = {}
  if (step === 'run') {
    args[name('command')] = rest
    if (name('description')) args[name('description')] = 'Run a command'
  } else {
    const [, file, change] = rest.match(/^(\S+)(?: (.*))?$/)
    args[name('filepath', 'path')] = file
    if (step === 'edit') [args[name('oldstring', 'oldtext')], args[name('newstring', 'newtext')]] = change.split(' => ')
  }
  return { name: tool.name, args: JSON.stringify(args) }
}

// answer is what the model says to a request: text, or one call.
function answer(messages, offered) {
  if (offered.length === 0) return { text: 'A title' }
  const { steps, done } = progress(messages)
  let calls = 0, text = ''
  for (const step of steps) {
    if (step[0] === 'say') {
      if (calls === done) text += step[1] + '\n'
      continue
    }
    if (calls++ === done) return { text, call: call(step, offered) }
  }
  return { text: text + 'finished' }
}

const newID = kind => `${kind}_${Math.random().toString(36).slice(2)}`

const halves = s => [s.slice(0, s.length >> 1), s.slice(s.length >> 1)]

// chat streams an answer as chat completions do.
function chat(send, { text, call }) {
  const completion = newID('chatcmpl')
  const chunk = (delta, finish = null) => send({
    id: completion, object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }],
  })
  for (const part of halves(text)) if (part) chunk({ role: 'assistant', content: part })
  if (call) {
    const id = newID('call')
    chunk({ role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: { name: call.name, arguments: '' } }] })
    for (const part of halves(call.args)) chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })
  }
  chunk({}, call ? 'tool_calls' : 'stop')
  send({ id: completion, object: 'chat.completion.chunk', created: 0, model: 'm', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })
}

// messages streams an answer as the messages API does.
function messages(send, { text, call }) {
  const event = (type, rest) => send({ type, ...rest }, type)
  event('message_start', {
    message: { id: newID('msg'), type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
  })
  let index = 0
  const block = (content_block, deltas) => {
    event('content_block_start', { index, content_block })
    for (const delta of deltas) event('content_block_delta', { index, delta })
    event('content_block_stop', { index })
    index++
  }
  if (text) block({ type: 'text', text: '' }, halves(text).map(text => ({ type: 'text_delta', text })))
  if (call) {
    const id = newID('toolu')
    block({ type: 'tool_use', id, name: call.name, input: {} }, halves(call.args).map(partial_json => ({ type: 'input_json_delta', partial_json })))
  }
  event('message_delta', { delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } })
  event('message_stop', {})
}

const server = http.createServer(async (req, res) => {
  let body = ''
  for await (const part of req) body += part
  const path = new URL(req.url, 'http://localhost').pathname
  if (req.method !== 'POST' || !body) return res.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  const request = JSON.parse(body)
  if (path.endsWith('count_tokens')) return res.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":10}')
  const isChat = path.endsWith('/chat/completions')
  const offered = (request.tools ?? []).map(t => isChat ? { name: t.function.name, schema: t.function.parameters } : { name: t.name, schema: t.input_schema ?? { properties: {} } })
  let said
  try {
    said = answer(request.messages, offered)
  } catch (error) {
    said = { text: `the model's server failed: ${error.message}` }
  }
  if (!request.stream && !isChat) {
    const content = [...(said.text ? [{ type: 'text', text: said.text }] : [])]
    return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
      id: newID('msg'), type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 },
    }))
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (data, event) => res.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
  if (isChat) {
    chat(send, said)
    res.write('data: [DONE]\n\n')
  } else {
    messages(send, said)
  }
  res.end()
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.resume().on('end', () => process.exit(0)) // ends with who started it
