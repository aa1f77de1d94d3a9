import createDOMPurify from 'dompurify';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = {
  bash, cpp, csharp, diff, go, ini, java, javascript, json, python, ruby, rust, typescript, xml, yaml,
};
for (const [name, language] of Object.entries(languages)) {
  hljs.registerLanguage(name, language);
}

/** Longer texts are shown in one colour, since colouring takes a frame or more, in UTF-16 units. */
const longest = 30_000;

/** A piece of a line in one colour; the class is highlight.js's, '' for none. */
export interface Piece {
  readonly text: string;
  readonly style: string;
}

/** The language of a file by its name, undefined for one that is not known. */
export function languageOf(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  return hljs.getLanguage(ending) ? ending : undefined;
}

/** Whether a text can be shown in the colours of a language. */
export function canColour(text: string, language: string | undefined): language is string {
  return language !== undefined && text.length <= longest && hljs.getLanguage(language) !== undefined;
}

/** The lines of a text in the colours of a language; undefined when it has none, or is too long. */
export function highlightLines(text: string, language: string | undefined): Piece[][] | undefined {
  if (!canColour(text, language)) {
    return undefined;
  }
  const lines: Piece[][] = [[]];
  collect(highlighted(text, language), '', lines);
  return lines;
}

/** A text in colours, as nodes. */
export function highlighted(text: string, language: string): DocumentFragment {
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  return createDOMPurify.sanitize(value, {
    ALLOWED_TAGS: ['span'],
    ALLOWED_ATTR: ['class'],
    RETURN_DOM_FRAGMENT: true,
  });
}

function collect(node: Node, style: string, lines: Piece[][]): void {
  for (const child of node.childNodes) {
    if (child instanceof Element) {
      collect(child, child.classList[0] ?? style, lines);
      continue;
    }
    for (const [i, part] of (child.textContent ?? '').split('\n').entries()) {
      if (i > 0) {
        lines.push([]);
      }
      if (part !== '') {
        lines.at(-1)!.push({ text: part, style });
      }
    }
  }
}
