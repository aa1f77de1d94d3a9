// Checks the lines an agent sends against the official schema of ACP v1, with
// keys that the schema does not name refused.
import { createRequire } from 'node:module';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const schema = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json');

/** Keywords that make a schema say something about an object's keys. */
const SAYS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'properties'];

/** A copy in which every value (a property, an item, a map's member) may hold only keys that are named. */
function closed(node, isValue) {
  if (Array.isArray(node)) return node.map(n => closed(n, isValue));
  if (node === null || typeof node !== 'object') return node;
  const out = {};
  for (const [key, sub] of Object.entries(node)) {
    if (key === 'properties' || key === '$defs') out[key] = Object.fromEntries(Object.entries(sub).map(([k, v]) => [k, closed(v, key === 'properties')]));
    else if (key === 'items' || (key === 'additionalProperties' && typeof sub === 'object')) out[key] = closed(sub, true);
    else if (['allOf', 'anyOf', 'oneOf'].includes(key)) out[key] = closed(sub, false);
    else out[key] = sub;
  }
  if (isValue && SAYS.some(k => k in node)) out.unevaluatedProperties = false;
  return out;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const whole = (lo, hi) => ({ type: 'number', validate: n => Number.isInteger(n) && n >= lo && n <= hi });
ajv.addFormat('uint16', whole(0, 0xffff));
ajv.addFormat('uint32', whole(0, 0xffffffff));
ajv.addFormat('uint64', whole(0, 2 ** 64));
ajv.addSchema(closed(schema, false), 'acp');

const compiled = new Map();
function check(def, value) {
  if (!compiled.has(def)) compiled.set(def, ajv.compile({ $ref: `acp#/$defs/${def}`, unevaluatedProperties: false }));
  const validate = compiled.get(def);
  return validate(value) ? null : validate.errors.map(e => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`).join('\n  ');
}

/** Definition names by kind and method, from the marks in the schema. */
const defs = { request: {}, response: {}, notification: {} };
for (const [name, def] of Object.entries(schema.$defs)) {
  const method = def['x-method'];
  if (!method) continue;
  const kind = name.endsWith('Response') ? 'response' : name.endsWith('Notification') ? 'notification' : 'request';
  defs[kind][method] = name;
}

/** What is wrong with a message of the agent, or null. `methodOf(id)` names the method of the client's request. */
export function fault(message, methodOf) {
  if (message.jsonrpc !== '2.0') return 'jsonrpc is not "2.0"';
  const keys = Object.keys(message);
  if ('method' in message) {
    const extra = keys.filter(k => !['jsonrpc', 'id', 'method', 'params'].includes(k));
    if (extra.length) return `unknown keys ${extra}`;
    if (message.method.startsWith('_')) return null;
    const def = defs['id' in message ? 'request' : 'notification'][message.method];
    return def ? check(def, message.params ?? {}) : `${message.method} is not part of ACP v1`;
  }
  if ('error' in message === 'result' in message) return 'neither or both of result and error';
  const extra = keys.filter(k => !['jsonrpc', 'id', 'result', 'error'].includes(k));
  if (extra.length) return `unknown keys ${extra}`;
  if ('error' in message) return check('Error', message.error);
  const method = methodOf(message.id);
  if (!method) return `answers ${JSON.stringify(message.id)}, which was not asked`;
  return defs.response[method] ? check(defs.response[method], message.result) : null;
}
