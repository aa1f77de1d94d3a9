// An MCP server with one tool, which asks its user for a form and says what was answered.
import readline from 'node:readline';

const form = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'of the release' },
    parts: { type: 'integer', title: 'Parts', default: 2 },
    channel: { type: 'string', title: 'Channel', enum: ['stable', 'beta'] },
    notify: { type: 'boolean', title: 'Tell everyone' },
  },
  required: ['name', 'channel'],
};

let asked;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'forms', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'release', description: 'Asks for a form.', inputSchema: { type: 'object' } }] }),
  ping: () => ({}),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'tools/call') {
    asked = id;
    say({ id: 'form', method: 'elicitation/create', params: { message: 'What shall be released?', requestedSchema: form } });
  } else if (id === 'form') {
    say({ id: asked, result: { content: [{ type: 'text', text: `answered ${JSON.stringify(result)}` }] } });
  } else if (id !== undefined && results[method]) {
    say({ id, result: results[method](params) });
  }
}
