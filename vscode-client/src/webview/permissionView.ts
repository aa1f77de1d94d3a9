import type { PendingPermission } from '../shared/messages';
import { textView } from './contentView';
import { button, h } from './dom';
import { send } from './host';

/** A question takes no answer for so long, in milliseconds; the extension checks it too. */
const answerDelay = 500;

const keys: Readonly<Record<string, string>> = { allow_once: 'Alt+A Alt+Y', reject_once: 'Alt+A Alt+N' };

/**
 * The question about a call: the whole of what is asked, and a button for each
 * answer. It never takes the focus, and opens for answers only after a moment,
 * so that nobody answers it by typing on.
 */
export function permissionView({ id, call, options }: PendingPermission): HTMLElement {
  const buttons = options.map((option) => {
    const key = keys[option.kind];
    const answer = () => send({ type: 'answer', id, optionId: option.optionId });
    return button(option.name, answer, {
      class: option.kind === 'allow_once' ? 'primary' : 'secondary',
      title: key ? `${option.name} (${key})` : option.name,
      disabled: true,
    });
  });
  setTimeout(() => buttons.forEach((b) => (b.disabled = false)), answerDelay);
  return h(
    'div',
    { class: 'permission', role: 'group', 'aria-label': `Permission for ${call.title ?? 'this call'}` },
    h('p', {}, 'May the agent do this?'),
    asked(call),
    h('div', { class: 'answers' }, ...buttons),
  );
}

/** What is asked, where the card does not show it: the command, or the arguments. */
function asked({ content, rawInput, title }: PendingPermission['call']): Node | undefined {
  if (content?.some((c) => c.type === 'diff')) {
    return undefined;
  }
  const whole = typeof rawInput === 'string' ? rawInput : rawInput === undefined ? title : JSON.stringify(rawInput, null, 2);
  return whole === undefined ? undefined : h('div', { class: 'command' }, textView(whole));
}
