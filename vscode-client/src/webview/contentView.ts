import type { ContentBlock } from '../shared/acp';
import { button, h } from './dom';
import { send } from './host';
import { markdown } from './markdown';
import { shortPath } from './view';

/** Lines of a long text are in blocks of so many, so that the browser lays out only those on screen. */
const blockLines = 200;

const images = /^image\/(png|jpeg|gif|webp)$/;

/** A block of content: text, an image, or something that is linked. */
export function blockView(block: ContentBlock, cwd: string): Node | undefined {
  switch (block.type) {
    case 'text':
      return textView(block.text);
    case 'image':
      return images.test(block.mimeType)
        ? h('img', { src: `data:${block.mimeType};base64,${block.data}`, alt: 'Image of the call' })
        : undefined;
    case 'resource_link':
      return linkView(block.uri, block.name, cwd);
    case 'resource':
      return linkView(block.resource.uri, undefined, cwd);
  }
}

/** A text that is one fenced block: its fence, and what is in it. */
const fenced = /^\s*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/;

/** Text as it is; only a text that begins with a fence is Markdown, unless it is too long to be laid out as one. */
export function textView(text: string): Node {
  if (/^\s*(`{3,}|~{3,})/.test(text)) {
    const inside = fenced.exec(text)?.[2];
    if (inside === undefined || inside.split('\n', blockLines + 1).length <= blockLines) {
      return h('div', { class: 'markdown' }, markdown(text));
    }
    text = inside;
  }
  const lines = text.split('\n');
  const view = h('div', { class: 'pre', tabindex: 0, role: 'group', 'aria-label': 'Text' });
  for (let i = 0; i < lines.length; i += blockLines) {
    view.append(h('pre', {}, lines.slice(i, i + blockLines).join('\n')));
  }
  return view;
}

/** A chip that opens what a message mentions. */
function linkView(uri: string, name: string | undefined, cwd: string): Node {
  if (!uri.startsWith('file:')) {
    const label = name ?? uri.replace(/^agent-ls:\//, '@');
    return /^https?:/.test(uri)
      ? button(label, () => send({ type: 'openLink', href: uri }), { class: 'chip' })
      : h('span', { class: 'chip' }, label);
  }
  const { pathname, hash } = new URL(uri);
  const path = decodeURIComponent(pathname).replace(/^\/([A-Za-z]:)/, '$1');
  const line = /^#L(\d+)/.exec(hash)?.[1];
  const label = `${name ?? shortPath(path, cwd)}${line ? `:${line}` : ''}`;
  return button(label, () => send({ type: 'open', path, line: line ? Number(line) : undefined }), { class: 'chip', title: path });
}

/** Raw arguments or output, folded until someone wants them. */
export function rawView(label: string, value: unknown): HTMLElement {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const details = h('details', { class: 'raw' }, h('summary', {}, label));
  details.addEventListener('toggle', () => details.childElementCount === 1 && details.append(textView(text)), { once: true });
  return details;
}
