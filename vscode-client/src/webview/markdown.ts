import DOMPurify from 'dompurify';
import { Marked, type Token } from 'marked';
import { h } from './dom';
import { later } from './frames';
import { canColour, highlighted } from './highlight';

/** HTML in a message is text like any other. */
const parser = new Marked({ async: false, gfm: true, renderer: { html: ({ text }) => escaped(text) } });

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Renders Markdown that a model wrote. HTML in it stays text, and what comes
 * out is sanitised once more: no styles, no forms, no images from elsewhere, no
 * links but to pages and files.
 */
export function markdown(text: string): DocumentFragment {
  return sanitised(parser.parse(text) as string);
}

function sanitised(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [
      'a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 's',
      'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
    ],
    ALLOWED_ATTR: ['href', 'class', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|file:|[^:]*$)/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const code of fragment.querySelectorAll('pre > code')) {
    colour(code);
  }
  for (const table of fragment.querySelectorAll('table')) {
    table.setAttribute('tabindex', '0');
  }
  return fragment;
}

/** Gives a fenced block the colours of its language. */
function colour(code: Element): void {
  const language = /language-(\S+)/.exec(code.className)?.[1];
  code.parentElement?.setAttribute('tabindex', '0');
  const text = code.textContent ?? '';
  if (canColour(text, language)) {
    code.replaceChildren(highlighted(text, language));
  }
}

/** The last tokens of a text, which may become others when it grows. */
const unsettled = 3;

/**
 * GrowingMarkdown is a message that grows: only its end is read anew, blocks
 * that stay as they are are not made again, and of a long one some are made in
 * each frame.
 */
export class GrowingMarkdown {
  readonly element = h('div', { class: 'markdown' });
  private tokens: readonly Token[] = [];
  private blocks: readonly Token[] = [];
  /** The sources of the blocks that are shown. */
  private readonly shown: string[] = [];

  update(text: string): void {
    const before = definitions(this.tokens);
    this.tokens = this.read(text.replaceAll(/\r\n?/g, '\n'));
    this.blocks = this.tokens.filter(({ type }) => type !== 'space');
    const changed = this.shown.findIndex((raw, i) => raw !== this.blocks[i]?.raw);
    // Links anywhere may be to what is defined now.
    const same = definitions(this.tokens) !== before ? 0 : changed < 0 ? this.shown.length : changed;
    this.shown.length = Math.min(same, this.shown.length);
    while (this.element.childElementCount > this.shown.length) {
      this.element.lastChild?.remove();
    }
    this.next();
  }

  /** The tokens of a text: those of before where it goes on from them. */
  private read(text: string): readonly Token[] {
    const settled = this.tokens.slice(0, -unsettled);
    const known = settled.map(({ raw }) => raw).join('');
    if (text.startsWith(known)) {
      const tokens = [...settled, ...parser.lexer(text.slice(known.length))];
      if (definitions(tokens) === 0) {
        return tokens;
      }
    }
    return parser.lexer(text);
  }

  private readonly next = (): void => {
    const block = this.blocks[this.shown.length];
    if (block) {
      this.shown.push(block.raw);
      this.element.append(h('div', {}, sanitised(parser.parser([block]))));
    }
    if (this.shown.length < this.blocks.length) {
      later(this.next);
    }
  };
}

/** How many targets of links tokens define. */
function definitions(tokens: readonly Token[]): number {
  return tokens.reduce((n, { type }) => n + (type === 'def' ? 1 : 0), 0);
}
