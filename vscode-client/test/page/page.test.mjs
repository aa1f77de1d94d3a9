// The chat page alone in a browser: hostile texts, large sessions, questions. The extension is played by the test.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { launchBrowser } from '../workbench.mjs';

const dist = path.resolve(import.meta.dirname, '../../dist');
const origin = 'http://chat.test';
// The policy of the extension's page, with the origin in the place of the editor's resources.
const policy = [
  "default-src 'none'", "script-src 'nonce-n'", `style-src-elem ${origin} 'nonce-n'`, "style-src-attr 'unsafe-inline'",
  'img-src data:',
].join('; ');
const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Agent</title>
<meta http-equiv="Content-Security-Policy" content="POLICY"><link rel="stylesheet" href="chat.css"></head>
<body><div id="app"></div><script nonce="n" src="play.js"></script><script nonce="n" src="chat.js"></script></body></html>`;
const play = `window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (m) => sent.push(m), getState() {}, setState() {} });`;

let browser;
let page;
before(async () => (browser = await launchBrowser()));
after(() => browser.close());
beforeEach(() => fresh(policy));

async function fresh(rules) {
  await page?.close();
  page = await browser.newPage({ viewport: { width: 420, height: 800 } });
  page.setDefaultTimeout(180_000);
  await page.route(`${origin}/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === '') {
      return route.fulfill({ contentType: 'text/html', body: html.replace('POLICY', rules) });
    }
    return name === 'play.js'
      ? route.fulfill({ contentType: 'text/javascript', body: play })
      : route.fulfill({ path: path.join(dist, name) });
  });
  await page.goto(`${origin}/`);
}

const tell = (...messages) => page.evaluate((all) => all.forEach((m) => window.postMessage(m, '*')), messages);
const sent = (type) => page.evaluate((t) => window.sent.filter((m) => m.type === t), type);
const snapshot = (items) => ({ items, plan: [], commands: [], options: [] });
const session = (items = []) => ({ type: 'session', id: 's', cwd: '/project', snapshot: snapshot(items) });
const updates = (...list) => ({ type: 'updates', id: 's', updates: list.map((update) => ({ update, at: 1 })) });
const status = (more = {}) => ({
  type: 'status',
  status: { connection: 'ready', running: false, queue: [], permissions: [], checkpoints: [], trusted: true, ...more },
});
const call = (id, more = {}) => ({ sessionUpdate: 'tool_call', toolCallId: id, title: id, kind: 'read', status: 'completed', ...more });
const agent = (text) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

const hostile = [
  '<img src=x onerror="hacked=1">', '<script>hacked=1</script>', '<svg onload="hacked=1">', '<iframe srcdoc="<script>top.hacked=1</script>"></iframe>',
  '[a](javascript:hacked=1)', '[b](data:text/html,<script>hacked=1</script>)', '![c](https://evil.test/x.png)', '<style>*{display:none}</style>',
  '<form action="https://evil.test"><input name=q></form>', '```html\n<img src=x onerror="hacked=1">\n```', '<a href="x" onclick="hacked=1">d</a>',
  '[e](vbscript:x)', '<base href="https://evil.test">', '`<b>`', '| <u>x</u> |\n|---|\n| <img src=x onerror=hacked=1> |',
].join('\n\n');

test('no text of a model becomes HTML, with the policy as the second wall', async () => {
  for (const rules of [policy, "default-src * 'unsafe-inline' data:"]) {
    await fresh(rules);
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    const content = [
      { type: 'content', content: { type: 'text', text: hostile } },
      { type: 'content', content: { type: 'text', text: `\`\`\`\n${hostile}\n\`\`\`` } },
      { type: 'content', content: { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' } },
      { type: 'diff', path: '/project/<b>.html', oldText: hostile, newText: `${hostile}\n<script>hacked=1</script>` },
    ];
    const terminal = { terminal_output: { terminal_id: 't', data: `\u001b]0;<b>\u0007${hostile}` } };
    await tell(
      session(),
      updates(
        { ...agent(hostile), sessionUpdate: 'user_message_chunk' }, agent(hostile),
        { ...agent(hostile), sessionUpdate: 'agent_thought_chunk' },
        call(hostile, { title: hostile, content, rawInput: { hostile }, status: 'failed' }),
        call('t', { kind: 'execute', _meta: terminal }),
        { sessionUpdate: 'notice', severity: 'error', title: hostile, description: hostile },
        { sessionUpdate: 'plan', entries: [{ content: hostile, status: 'pending' }] },
      ),
      status({ queue: [{ id: 1, text: hostile }], permissions: [{ id: 1, call: { toolCallId: 't', title: hostile, rawInput: hostile }, options: [{ optionId: 'a', name: hostile, kind: 'allow_once' }] }] }),
      { type: 'colours', colours: { keyword: '#fff; } * { display: none', 'x{': '#fff' } },
    );
    await page.locator('.notice').waitFor();
    for (let i = 0; i < 100 && !(await page.locator('.diff').isVisible()); i++) {
      await page.locator('article.card').first().evaluate((card) => card.scrollIntoView());
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    assert.ok(await page.locator('.diff').isVisible());
    const found = await page.evaluate(() => ({
      hacked: window.hacked,
      bad: [...document.querySelectorAll('#app script, #app iframe, #app style, #app form, #app base, #app [onclick], #app [onerror], #app [onload]')].map((e) => e.outerHTML.slice(0, 80)),
      images: [...document.images].map((i) => i.src),
      links: [...document.querySelectorAll('#app a')].map((a) => a.getAttribute('href')),
      shown: getComputedStyle(document.querySelector('main')).display,
    }));
    assert.deepEqual({ ...found, links: found.links.filter((l) => l !== null) }, { hacked: undefined, bad: [], images: [], links: [], shown: 'flex' });
    assert.deepEqual(asked, []);
  }
});

test('a question opens for answers after a moment, tells the answer, and goes when it is withdrawn', async () => {
  const permission = { id: 7, call: { toolCallId: 'c', title: 'rm -rf x', rawInput: 'rm -rf x' }, options: [{ optionId: 'yes', name: 'Allow once', kind: 'allow_once' }, { optionId: 'no', name: 'Reject once', kind: 'reject_once' }] };
  // Clicked in the moment when it appears, however slow the machine is.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const button = document.querySelector('.permission button');
      if (button) {
        observer.disconnect();
        button.click();
        window.early = { disabled: button.disabled, sent: window.sent.filter((m) => m.type === 'answer').length };
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  await tell(session(), updates(call('c', { kind: 'execute', status: 'pending', title: 'rm -rf x' })), status({ running: true, permissions: [permission] }));
  const allow = page.locator('.permission button', { hasText: 'Allow' });
  await allow.waitFor();
  const before = await page.evaluate(() => window.early);
  assert.deepEqual(before, { disabled: true, sent: 0 });
  assert.notEqual(await page.evaluate(() => document.activeElement?.closest('.permission')), undefined);
  await page.locator('.permission button:enabled').first().waitFor();
  await page.locator('.prompt textarea').focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await allow.focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(await sent('answer'), [{ type: 'answer', id: 7, optionId: 'yes' }]);
  assert.match(await page.locator('[role=status]').textContent(), /asks for permission: rm -rf x/);
  await tell(status());
  await page.locator('.permission').waitFor({ state: 'detached' });
});

test('a hunk is kept or undone in the card', async () => {
  const diff = { type: 'diff', path: '/project/a.ts', oldText: 'const a = 1;\nb();\n', newText: 'const a = 2;\nb();\n' };
  const range = { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } };
  const hunk = (id, oldText) => ({ id, range, oldText, sessionId: 's', toolCallId: 'c' });
  await tell(session(), updates(call('c', { kind: 'edit', content: [diff] })), status(),
    { type: 'review', files: [{ path: '/project/a.ts', hunks: [hunk('h1', 'const a = 1;\n'), hunk('h2', 'elsewhere\n')] }] });
  await page.locator('.code .decisions button', { hasText: 'Keep' }).click();
  await page.locator('.diff > .slot button', { hasText: 'Undo' }).click();
  assert.deepEqual(await sent('decide'), [{ type: 'decide', keep: true, hunks: ['h1'] }, { type: 'decide', keep: false, hunks: ['h2'] }]);
  assert.equal(await page.locator('.line.added .word').textContent(), '2');
  assert.equal(await page.locator('.line.added .hljs-keyword').textContent(), 'const');
  await tell({ type: 'review', files: [] });
  await page.locator('.decisions').first().waitFor({ state: 'detached' });
});

test('a card that cannot be shown leaves the others alone', async () => {
  const broken = [{ type: 'diff', path: '/project/a.ts', oldText: 1, newText: 2 }];
  await tell(session(), status(), updates(call('broken', { content: broken, status: 'failed' }), call('good', { status: 'failed' }), agent('after')));
  await page.locator('article.card', { hasText: 'good' }).waitFor();
  await page.locator('.agent .markdown', { hasText: 'after' }).waitFor();
});

test('a message grows by blocks, and those that stay are not made again', async () => {
  await tell(session(), updates(agent('# Title\n\nfirst *one*\n\n- a\n')));
  const blocks = page.locator('.agent .markdown > div');
  await page.locator('.agent li').waitFor();
  await blocks.first().evaluate((block) => (block.kept = true));
  await tell(updates(agent('- b\n\n```js\nconst x = 1;\n```\n\nlast')));
  await page.locator('.agent', { hasText: 'last' }).waitFor();
  assert.equal(await blocks.first().evaluate((block) => block.kept), true);
  assert.deepEqual(await page.locator('.agent li').allTextContents(), ['a', 'b']);
  assert.equal(await page.locator('.agent .hljs-keyword').textContent(), 'const');
  await tell(updates(agent('\n\nsee [the page][p]\n\nmore\n\nand more\n\n[p]: https://example.org/\n')));
  await page.locator('.agent a[href="https://example.org/"]').waitFor();
  const whole = await page.locator('.agent .markdown').innerText();
  assert.deepEqual(whole.split(/\n+/).filter(Boolean), ['Title', 'first one', 'a', 'b', 'const x = 1;', 'last', 'see the page', 'more', 'and more']);
});

/**
 * Runs an action in the page until a condition holds and 20 frames more. The worst frame is told as the time that passed,
 * and as the page's longest task by the time of its processor, which does not depend on what else the machine does.
 */
async function measured(act, until) {
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const includedCategories = ['toplevel', 'blink.user_timing', 'disabled-by-default-devtools.timeline'];
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  const seen = await page.evaluate(framesUntil, [String(act), until]);
  const complete = new Promise((resolve) => void cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  const main = new Set(events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => e.tid));
  const tasks = events.filter((e) => e.name === 'RunTask' && main.has(e.tid)).map((e) => ({ at: e.ts, ms: (e.tdur ?? 0) / 1000 }));
  const shown = events.find((e) => e.name === 'shown').ts;
  const cpu = tasks.filter((task) => task.at < shown).reduce((sum, task) => sum + task.ms, 0);
  return { ...seen, task: Math.max(...tasks.map((task) => task.ms)), cpu };
}

async function framesUntil([action, condition]) {
  const done = new Function(`return (${condition});`);
  let last = await new Promise(requestAnimationFrame);
  const begin = performance.now();
  new Function(`return (${action})();`)();
  let worst = 0;
  let first;
  for (let more = 0; more < 20; more += done() ? 1 : 0) {
    const now = await new Promise(requestAnimationFrame);
    worst = Math.max(worst, now - last);
    last = now;
    if (first === undefined && done()) {
      first = performance.now() - begin;
      performance.mark('shown');
    }
  }
  return { worst, ms: first };
}

/** What no task may take, in milliseconds of processor time: on an idle machine a third of it is usual. */
const smooth = 300;

function judge(t, what, { worst, task }) {
  t.diagnostic(`measured: ${what}, longest task ${task.toFixed(0)} ms of processor time, worst frame ${worst.toFixed(0)} ms`);
  assert.ok(task < smooth, `${what}: a task of ${task.toFixed(0)} ms`);
}

test('a message of three thousand blocks while it comes', async (t) => {
  await fresh("default-src * 'unsafe-inline' 'unsafe-eval' data:");
  await tell(session(), status(), updates(agent('begin\n\n')));
  await page.locator('.agent').waitFor();
  const message = await measured(() => {
    let n = 0;
    const timer = setInterval(() => {
      const text = Array.from({ length: 30 }, () => `Paragraph **${++n}** of \`many\`.\n\n`).join('');
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
      window.postMessage({ type: 'updates', id: 's', updates: [{ update }] }, '*');
      if (n === 3000) clearInterval(timer);
    }, 10);
  }, "document.querySelector('.agent .markdown').lastElementChild?.textContent.includes('3000')");
  judge(t, 'message, 3,000 blocks', message);
});

test('ten thousand lines of output, of a text and of a diff', async (t) => {
  await fresh("default-src * 'unsafe-inline' 'unsafe-eval' data:");
  await tell(session(), status(), updates(call('t', { kind: 'execute', status: 'in_progress', _meta: { terminal_info: { terminal_id: 't' } } })));
  await page.locator('.card').waitFor();
  const stream = await measured(() => {
    let n = 0;
    const timer = setInterval(() => {
      const data = Array.from({ length: 200 }, () => `\u001b[32mline ${++n}\u001b[0m of a long output\n`).join('');
      const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', _meta: { terminal_output: { terminal_id: 't', data } } };
      window.postMessage({ type: 'updates', id: 's', updates: [{ update }] }, '*');
      if (n === 10_000) clearInterval(timer);
    }, 10);
  }, `document.querySelector('.output').shadowRoot?.querySelector('.xterm-rows')?.textContent.includes('line 10000')`);
  judge(t, 'terminal, 10,000 lines', stream);
  const text = await measured(() => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i} of a long text`).join('\n');
    const content = [{ type: 'content', content: { type: 'text', text: lines } }];
    window.postMessage({ type: 'updates', id: 's', updates: [{ update: { sessionUpdate: 'tool_call', toolCallId: 'x', title: 'x', status: 'failed', content } }] }, '*');
  }, `[...document.querySelectorAll('.pre pre')].length === 50`);
  judge(t, 'text, 10,000 lines', text);
  const diff = await measured(() => {
    const lines = (word) => Array.from({ length: 10_000 }, (_, i) => (i % 7 === 0 ? `${word} ${i}` : `same ${i}`)).join('\n');
    const content = [{ type: 'diff', path: '/project/a.txt', oldText: lines('old'), newText: lines('new') }];
    window.postMessage({ type: 'updates', id: 's', updates: [{ update: { sessionUpdate: 'tool_call', toolCallId: 'd', title: 'd', kind: 'edit', status: 'completed', content } }] }, '*');
  }, `!!document.querySelector('.more')`);
  judge(t, 'diff, 10,000 lines', diff);
});

test('a resumed session of a thousand cards', async (t) => {
  await fresh("default-src * 'unsafe-inline' 'unsafe-eval' data:");
  await tell(status());
  const { ms, cpu, task } = await measured(() => {
    const kinds = ['read', 'edit', 'execute', 'search'];
    const items = Array.from({ length: 1000 }, (_, i) => {
      const kind = kinds[i % 4];
      const content =
        kind === 'edit'
          ? [{ type: 'diff', path: `/project/f${i}.ts`, oldText: 'const a = 1;\n', newText: `const a = ${i};\n` }]
          : [{ type: 'content', content: { type: 'text', text: `text of ${i}\n`.repeat(20) } }];
      const terminal = kind === 'execute' ? { terminal: { id: `t${i}`, output: `output ${i}\n`.repeat(30), exit: { code: 0 } } } : {};
      return { type: 'call', key: i, id: `c${i}`, title: `${kind} number ${i}`, kind, status: i === 999 ? 'failed' : 'completed', content, locations: [{ path: `/project/f${i}.ts`, line: 1 }], ...terminal };
    });
    window.postMessage({ type: 'session', id: 's', cwd: '/project', snapshot: { items, plan: [], commands: [], options: [] } }, '*');
  }, "[...document.querySelectorAll('article.card')].at(-1)?.querySelector('.card-body')?.childElementCount > 0");
  t.diagnostic(`measured: 1,000 cards, shown after ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time, longest task ${task.toFixed(0)} ms`);
  assert.ok(cpu < 1000, `1,000 cards are shown after ${cpu.toFixed(0)} ms of processor time`);
  await page.waitForFunction("document.querySelectorAll('article.card').length === 1000");
  await page.locator('article.card', { hasText: 'number 999' }).waitFor();
  const before = await page.locator('.xterm').count();
  assert.ok(before < 40, `${before} terminals exist at once`);
  const scroll = await measured(() => {
    const list = document.querySelector('.transcript');
    const timer = setInterval(() => {
      list.scrollTop -= 4000;
      window.scrolled = list.scrollTop <= 0;
      if (window.scrolled) clearInterval(timer);
    }, 16);
  }, 'window.scrolled');
  judge(t, 'scrolling through 1,000 cards', scroll);
  await page.locator('article.card', { hasText: 'number 0' }).first().waitFor();
});
