// Real agents hosted by a real agent-ls: their edits are diff cards that can be
// undone by hunk, their commands terminals, and a cancel ends their processes.
// The sessions that they keep can be opened, and the logins that they want are
// asked for.
// AGENT_LS names the program, HOSTED_AGENTS the folder where npm has put them.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from './lsp.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const { AGENT_LS: program, HOSTED_AGENTS: installed } = process.env
if (!program || !installed) throw new Error('run ./test.sh, which installs the agents')

// agents say how each one is configured.
const agents = {
  opencode: {
    table: () => ({ command: join(installed, '.bin', 'opencode'), args: ['acp'], env: { OPENCODE_DISABLE_MODELS_FETCH: '1' } }),
    prepare(folder, url) {
      const provider = { npm: '@ai-sdk/openai-compatible', name: 'local', options: { baseURL: `${url}/v1`, apiKey: 'none' }, models: { m: { name: 'm' } } }
      const config = { provider: { local: provider }, model: 'local/m', small_model: 'local/m', permission: { edit: 'ask', bash: 'ask' }, autoupdate: false, share: 'disabled' }
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify(config))
    },
  },
  claude: {
    table: url => ({
      command: process.execPath,
      args: [join(installed, '@agentclientprotocol/claude-agent-acp/dist/index.js')],
      // The last two let it run as root and keep it from looking for news.
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', IS_SANDBOX: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      options: { mode: 'default' },
    }),
    wantsLogin: 'claude-ai-login', // a way of its own, when there is no key
    prepare() {},
  },
}

// toml is a table of agents as the configuration file has it.
const toml = (name, { command, args, env, options = {} }) => {
  const pairs = table => `{ ${Object.entries(table).map(([k, v]) => `${k} = ${JSON.stringify(v)}`).join(', ')} }`
  return `[acp.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = ${pairs(env)}\noptions = ${pairs(options)}\n`
}

// running says whether a process has these words in its command line.
const running = words => execFileSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' }).split('\n').some(line => line.includes(words) && !line.startsWith('Z'))

// connect starts a language server whose model is an agent, and initializes it.
async function connect(name, { folder, scratch, state = 'state', acp = {} }) {
  const env = { ...process.env, XDG_CONFIG_HOME: join(scratch, 'config'), XDG_STATE_HOME: join(scratch, state), XDG_RUNTIME_DIR: scratch }
  const client = new Client(program, ['lsp', '--model', `acp:${name}`], { cwd: folder, env })
  client.answers['session/request_permission'] = p => ({ outcome: { outcome: 'selected', optionId: p.options.find(o => o.kind === 'allow_once').optionId } })
  await client.call('initialize', {
    processId: process.pid, rootUri: null, clientInfo: { name: 'test' }, workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'work' }],
    capabilities: { experimental: { acp: { _meta: { terminal_output: true }, ...acp } } },
  })
  client.notify('initialized', {})
  return client
}

let model, url
before(async () => {
  model = spawn(process.execPath, [join(here, 'model.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(model.stdout, 'data')
  url = String(line).trim()
})
after(() => model.stdin.end())

for (const [name, agent] of Object.entries(agents)) {
  describe(name, () => {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'agent-ls-hosted-')))
    const folder = join(scratch, 'work')
    const file = join(folder, 'a.txt')
    const original = ['one', ...Array.from({ length: 12 }, (_, i) => `line ${i}`), 'two', ''].join('\n')
    let client, session

    const prompt = text => client.call('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] })
    const asked = () => client.heard.filter(m => m.method === 'session/request_permission').map(m => m.params.toolCall)

    before(async () => {
      for (const dir of ['home', 'stranger', 'work', 'state', 'config/agent-ls']) mkdirSync(join(scratch, dir), { recursive: true })
      writeFileSync(file, original)
      agent.prepare(folder, url)
      const table = agent.table(url)
      table.env.HOME = join(scratch, 'home')
      const stranger = { ...table, env: { ...table.env, HOME: join(scratch, 'stranger') } }
      delete stranger.env.ANTHROPIC_API_KEY
      writeFileSync(join(scratch, 'config/agent-ls/config.toml'), toml(name, table) + toml('stranger', stranger))
      client = await connect(name, { folder, scratch })
      ;({ sessionId: session } = await client.call('session/new', { cwd: folder, mcpServers: [] }))
    })
    after(async () => {
      await client.close()
      assert.ok(!running(scratch), 'the agent has ended with agent-ls')
      rmSync(scratch, { recursive: true, force: true })
    })

    test('edits are diff cards that are asked about and undone by hunk', async () => {
      const { stopReason } = await prompt(`read ${file}\nedit ${file} one => ONE\nedit ${file} two => TWO`)
      assert.equal(stopReason, 'end_turn')
      assert.equal(readFileSync(file, 'utf8'), original.replace('one', 'ONE').replace('two', 'TWO'))
      const edits = client.cards(session).filter(c => c.kind === 'edit')
      assert.deepEqual(edits.map(c => c.status), ['completed', 'completed'])
      for (const [i, [old, now, line]] of [['one', 'ONE', 1], ['two', 'TWO', 14]].entries()) {
        const [diff] = edits[i].content.filter(c => c.type === 'diff')
        assert.equal(diff.path, file)
        assert.ok(diff.oldText.split('\n').includes(old) && diff.newText.split('\n').includes(now), JSON.stringify(diff))
        assert.ok(diff.newText.split('\n').length <= 7, 'a hunk, not the file')
        assert.deepEqual(edits[i].locations[0], { path: file, line })
      }
      assert.deepEqual(asked().map(c => c.toolCallId), edits.map(c => c.toolCallId))
      assert.equal(asked()[0].content[0].type, 'diff')

      const review = await client.until(() => client.heard.findLast(m => m.method === 'agent-ls/review' && m.params.hunks.length === 2))
      const [first, second] = review.params.hunks
      assert.deepEqual([first.oldText, second.oldText], ['one\n', 'two\n'])
      assert.deepEqual([first.toolCallId, second.toolCallId], edits.map(c => c.toolCallId))
      await client.call('workspace/executeCommand', { command: 'agent-ls.undoHunk', arguments: [first.id] })
      assert.equal(readFileSync(file, 'utf8'), original.replace('two', 'TWO'))
    })

    test('commands are terminals', async () => {
      const begin = client.cards(session).length
      await prompt('run printf "ab\\ncd\\n"')
      const [card] = client.cards(session).slice(begin)
      assert.equal(card.title, 'printf "ab\\ncd\\n"')
      assert.equal(card.kind, 'execute')
      assert.equal(card.content[0].type, 'terminal')
      assert.equal(card.output.trim(), 'ab\ncd')
      assert.equal(card.status, 'completed')
    })

    test('a cancel ends what runs', async () => {
      const endless = `tail -f ${join(scratch, 'endless')}`
      writeFileSync(join(scratch, 'endless'), '')
      const begin = client.cards(session).length
      const turn = prompt(`run ${endless} & ${endless}`)
      await client.until(() => client.cards(session)[begin]?.title.startsWith('tail'))
      while (!running(endless)) await new Promise(resolve => setTimeout(resolve, 50))
      client.notify('session/cancel', { sessionId: session })
      assert.equal((await turn).stopReason, 'cancelled')
      assert.match(client.cards(session)[begin].status, /completed|failed/, 'as the agent says')
      while (running(endless)) await new Promise(resolve => setTimeout(resolve, 50))
      const again = client.heard.length
      assert.equal((await prompt('say still there')).stopReason, 'end_turn')
      const text = client.heard.slice(again).map(m => m.params?.update).filter(u => u?.sessionUpdate === 'agent_message_chunk').map(u => u.content.text).join('')
      assert.match(text, /still there/)
    })

    test('its settings are those of the session', async () => {
      const { configOptions } = await client.call('session/set_config_option', { sessionId: session, configId: 'agent.mode', value: 'plan' })
      assert.equal(configOptions.find(o => o.id === 'agent.mode').currentValue, 'plan')
      assert.equal(configOptions.find(o => o.id === 'mode').currentValue, 'ask')
    })

    test('a session that it keeps is opened as ours, with what was done in it', async () => {
      const listed = async client => (await client.call('session/list', { cwd: folder })).sessions.map(s => s.sessionId)
      assert.deepEqual(await listed(client), [session], 'the agent keeps it too, and it is there once')
      await client.call('session/close', { sessionId: session })
      const other = await connect(name, { folder, scratch, state: 'other' }) // it knows nothing of the session
      try {
        let theirs
        while (!theirs) [theirs] = await listed(other) // an agent that starts slowly is not waited for
        await other.call('session/load', { sessionId: theirs, cwd: folder, mcpServers: [] })
        const cards = other.cards(theirs)
        assert.deepEqual(cards.filter(c => c.kind === 'edit').map(c => c.content[0].type), ['diff', 'diff'])
        assert.ok(cards.every(c => c.status === 'completed' || c.status === 'failed'))
        const { stopReason } = await other.call('session/prompt', { sessionId: theirs, prompt: [{ type: 'text', text: 'say back again' }] })
        assert.equal(stopReason, 'end_turn')
        assert.deepEqual(await listed(other), [theirs])
        const { sessionId: copy } = await other.call('session/fork', { sessionId: theirs, cwd: folder, mcpServers: [] })
        assert.equal((await other.call('session/prompt', { sessionId: copy, prompt: [{ type: 'text', text: 'say I am a copy' }] })).stopReason, 'end_turn')
        assert.deepEqual((await listed(other)).sort(), [theirs, copy].sort())
        for (const sessionId of [theirs, copy]) await other.call('session/delete', { sessionId })
        assert.deepEqual(await listed(other), [])
      } finally {
        await other.close()
      }
    })

    if (agent.wantsLogin) {
      test('a login that it wants is asked for, with its ways', async () => {
        const other = await connect('stranger', { folder, scratch, state: 'other', acp: { auth: { terminal: true } } })
        try {
          const { authMethods } = await other.call('acp/initialize', { protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } })
          const way = authMethods.find(m => m.id === agent.wantsLogin)
          assert.deepEqual([way.type, way.args], ['terminal', ['--login', way.id]])
          const { sessionId } = await other.call('session/new', { cwd: folder, mcpServers: [] })
          const refused = await other.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'say hello' }] }).catch(e => e)
          assert.match(String(refused), /-32000/)
          assert.match(String(refused), new RegExp(`wants you to log in.*"id":"${way.id}"`))
        } finally {
          await other.close()
        }
      })
    }
  })
}
