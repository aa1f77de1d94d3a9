import type { ConfigOption, PlanEntry, Usage } from '../shared/acp';
import type { QueuedPrompt, Status } from '../shared/messages';
import { button, h } from './dom';
import { send } from './host';

/** What is shown beside the transcript: plan, queue, options, usage, problems. */

const planMarks = { pending: '○', in_progress: '◐', completed: '●' };
const planWords = { pending: 'to do', in_progress: 'in progress', completed: 'done' };

export function planView(entries: readonly PlanEntry[]): HTMLElement | undefined {
  if (entries.length === 0) {
    return undefined;
  }
  const done = entries.filter((e) => e.status === 'completed').length;
  return h(
    'details',
    { class: 'plan', open: done < entries.length },
    h('summary', {}, `Plan: ${done} of ${entries.length} done`),
    h(
      'ul',
      {},
      ...entries.map(({ content, status }) =>
        h(
          'li',
          { class: status },
          h('span', { 'aria-hidden': 'true' }, planMarks[status]),
          content,
          h('span', { class: 'hidden-text' }, `, ${planWords[status]}`),
        ),
      ),
    ),
  );
}

export function queueView(queue: readonly QueuedPrompt[]): HTMLElement | undefined {
  if (queue.length === 0) {
    return undefined;
  }
  return h(
    'ul',
    { class: 'queue', 'aria-label': 'Waiting prompts' },
    ...queue.map(({ id, text }) =>
      h(
        'li',
        {},
        h('span', { class: 'text', title: text }, text.split('\n')[0]!),
        button('Send now', () => send({ type: 'sendQueued', id }), { class: 'quiet' }),
        button('Remove', () => send({ type: 'unqueue', id }), { class: 'quiet' }),
      ),
    ),
  );
}

/** A select for each option of the session, such as mode and model. */
export function optionViews(options: readonly ConfigOption[], trusted: boolean): HTMLElement[] {
  return options
    .filter((o) => o.type === 'select')
    .map(({ id, name, description, currentValue, options: choices }) =>
      h(
        'select',
        {
          'aria-label': name,
          title: trusted || id !== 'mode' ? (description ?? name) : 'The workspace is not trusted, so the agent only reads.',
          disabled: !trusted && id === 'mode',
          onchange: (event) => send({ type: 'option', id, value: (event.target as HTMLSelectElement).value }),
        },
        ...(choices ?? []).map((c) =>
          h('option', { value: c.value, title: c.description, selected: c.value === currentValue }, c.name),
        ),
      ),
    );
}

export function usageText(usage: Usage | undefined): string {
  if (!usage || usage.size === 0) {
    return '';
  }
  const cost = usage.cost ? ` · ${usage.cost.amount.toFixed(2)} ${usage.cost.currency}` : '';
  return `Context ${Math.round((100 * usage.used) / usage.size)} %${cost}`;
}

/** Why there is no server, and what to do. */
export function problemView({ connection, problem }: Status): HTMLElement | undefined {
  if (connection !== 'failed') {
    return undefined;
  }
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('p', {}, problem ?? 'agent-ls does not run.'),
    button('Open settings', () => send({ type: 'run', command: 'settings' }), { class: 'secondary' }),
    button('Show the log', () => send({ type: 'run', command: 'log' }), { class: 'secondary' }),
    button('Start again', () => send({ type: 'run', command: 'restart' }), { class: 'primary' }),
  );
}

/** What an empty session says. */
export function welcomeView(options: readonly ConfigOption[]): HTMLElement {
  const model = options.find((o) => o.id === 'model');
  const choice = model?.options?.find((o) => o.value === model.currentValue);
  return h(
    'div',
    { class: 'welcome' },
    h('h1', {}, 'What shall the agent do?'),
    h('p', {}, 'Everything it does becomes a card here: what it reads, the diff of each edit, the output of each command.'),
    choice?.description !== undefined && h('p', {}, `${choice.name}: ${choice.description}`),
    h(
      'p',
      {},
      button('Open an earlier session', () => send({ type: 'run', command: 'sessions' }), { class: 'link' }),
    ),
  );
}
