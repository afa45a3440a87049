import { type ComponentChild, Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BotDetail } from '../../api/bot-schemas.ts';
import type { Answer } from '../../api/routes.ts';
import { type ApiError, call, NO_ANSWER } from './api.ts';
import { exact } from './format.ts';
import { At, State, useSurroundings } from './parts.ts';

type Act = BotDetail['acts'][number];
type Outcome = Answer<'act'>;

interface ActsProps {
  readonly bot: BotDetail;
  /** After each act: the page shows the bot as it is then. */
  readonly onDone: () => void;
}

/** The acts of an operator, as buttons that open a dialog. A viewer sees none. */
export function Acts({ bot, onDone }: ActsProps): ComponentChild {
  const { role } = useSurroundings();
  const [chosen, choose] = useState<string>();
  if (role !== 'operator') return null;
  const act = bot.acts.find((one) => one.act === chosen);
  return h(
    'div',
    { class: 'acts', role: 'group', 'aria-label': `What ${bot.name} can be made to do` },
    bot.acts.map(({ act, words, cannot }) =>
      h(
        'button',
        // Not `disabled`: the reason could not be read by keyboard then.
        {
          key: act,
          type: 'button',
          class: `act ${act}`,
          'aria-disabled': cannot !== null,
          title: cannot ?? words,
          onClick: () => choose(act),
        },
        nameOf(act),
      ),
    ),
    act !== undefined &&
      h(ActDialog, {
        ...{ key: act.act, bot, act, onDone },
        onClose: () => choose(undefined),
      }),
  );
}

function nameOf(act: string): string {
  return `${act.slice(0, 1).toUpperCase()}${act.slice(1)}`;
}

interface DialogProps extends ActsProps {
  readonly act: Act;
  readonly onClose: () => void;
}

/** The result of an act for the page: what the server says, or that it is not known. */
type Result = Outcome | { readonly outcome: 'unknown' | 'refused'; readonly words: string };

/** Says what an act will do, has it confirmed, and says what it did. */
function ActDialog({ bot, act, onClose, onDone }: DialogProps): ComponentChild {
  const box = useRef<HTMLDialogElement>(null);
  const [isSending, setSending] = useState(false);
  const [result, setResult] = useState<Result>();
  // The bot goes on while the dialog is open; what was read before the act was sent stays below its result.
  useEffect(() => box.current?.showModal(), []);
  const send = async (order: { readonly confirm: string; readonly strategy?: string; readonly reason?: string }) => {
    setSending(true);
    try {
      const path = `api/bots/${encodeURIComponent(bot.id)}/acts`;
      setResult(await call('act', path, { method: 'POST', body: { act: act.act, ...order } }));
    } catch (error) {
      setResult(resultOf(error as ApiError));
    } finally {
      setSending(false);
      onDone();
    }
  };
  return h(
    'dialog',
    {
      ...{ ref: box, class: 'act-dialog', 'aria-labelledby': 'act-title', onClose },
      // A command that was sent cannot be called back: the result is waited for.
      onCancel: (event: Event) => isSending && event.preventDefault(),
    },
    h('h2', { id: 'act-title' }, `${nameOf(act.act)} ${bot.name}`),
    result === undefined
      ? h(ActForm, { bot, act, isSending, onSend: send, onClose: () => box.current?.close() })
      : h(ActResult, { bot, result, onClose: () => box.current?.close() }),
  );
}

/** Without an answer it is unknown whether the act has happened; a refusal has had no effect. */
export function resultOf({ code, message }: ApiError): Result {
  if (code === NO_ANSWER)
    return {
      outcome: 'unknown',
      words:
        'The server did not answer: the act may have happened or not. Look at the state of the bot. On its machine, `npx tidegate kill` works without this server.',
    };
  if (code === 'NOT_FOUND')
    return { outcome: 'refused', words: 'Nothing was done: this server has no such act, or the bot is no longer there.' };
  return { outcome: 'refused', words: `Nothing was done: ${message} (${code}).` };
}

interface FormProps {
  readonly bot: BotDetail;
  readonly act: Act;
  readonly isSending: boolean;
  readonly onSend: (order: { readonly confirm: string; readonly strategy?: string; readonly reason?: string }) => void;
  readonly onClose: () => void;
}

/** Acts for one strategy, and those that may be for one. */
const OF_ONE = new Set(['pause', 'resume']);
const OF_ANY = new Set(['reduce', 'reset']);

export function ActForm({ bot, act: { act, words, confirm, cannot }, isSending, onSend, onClose }: FormProps): ComponentChild {
  const [typed, setTyped] = useState('');
  // The word of the act is the button's own; anything else is typed, so that the right bot is meant.
  const isTyped = confirm !== act;
  const strategies = bot.status?.strategies.map(({ id }) => id) ?? [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const [strategy, reason] = ['strategy', 'reason'].map((name) => String(form.get(name) ?? '').trim());
    onSend({ confirm: isTyped ? typed : confirm, ...(strategy && { strategy }), ...(reason && { reason }) });
  };
  return h(
    'form',
    { onSubmit: submit },
    h(
      'p',
      { class: 'bot-line' },
      bot.folder,
      h('br', null),
      h(State, { state: bot.state, proof: bot.proof }),
      bot.why !== '' && ` ${bot.why}`,
    ),
    h('h3', null, 'What will happen'),
    h('p', { class: 'effect' }, words),
    h(Held, { bot }),
    cannot !== null && h('p', { class: 'trouble', role: 'alert' }, `Not now: ${cannot}.`),
    (OF_ONE.has(act) || (OF_ANY.has(act) && strategies.length > 1)) &&
      h(
        'label',
        { class: 'field' },
        'Strategy',
        h(
          'select',
          { name: 'strategy', required: OF_ONE.has(act) },
          h('option', { value: '' }, OF_ONE.has(act) ? 'choose one' : 'all'),
          strategies.map((id) => h('option', { key: id, value: id }, id)),
        ),
      ),
    h(
      'label',
      { class: 'field' },
      'Reason, for the audit log (may be empty)',
      h('input', { name: 'reason', maxLength: 500, autocomplete: 'off' }),
    ),
    isTyped &&
      h(
        'label',
        { class: 'field' },
        h('span', null, 'Type ', h('b', null, confirm), ' to confirm'),
        h('input', {
          value: typed,
          autocomplete: 'off',
          spellcheck: false,
          onInput: (event: Event) => setTyped((event.currentTarget as HTMLInputElement).value),
        }),
      ),
    h(
      'div',
      { class: 'choices' },
      h('button', { type: 'button', onClick: onClose, disabled: isSending }, 'Cancel'),
      h(
        'button',
        { type: 'submit', class: `act ${act}`, disabled: isSending || cannot !== null || (isTyped && typed !== confirm) },
        isSending ? 'Sent, waiting for the bot …' : `${nameOf(act)} ${bot.name}`,
      ),
    ),
  );
}

/** The subject of the act: the orders and positions of this moment. */
function Held({ bot: { figures, isCounted, status } }: Pick<FormProps, 'bot'>): ComponentChild {
  if (figures === null) return null;
  const held = Object.entries(figures.positions).filter(([, quantity]) => Number(quantity) !== 0);
  const positions = held.length === 0 ? 'no position' : held.map(([symbol, quantity]) => `${symbol} ${exact(quantity)}`).join(', ');
  const orders = status?.orders.length ?? figures.openOrders;
  return h(
    'p',
    { class: 'note' },
    isCounted ? 'Now: ' : ['As last seen ', h(At, { time: figures.time }), ': '],
    `${orders} open ${orders === 1 ? 'order' : 'orders'}; ${positions}.`,
  );
}

/** The meaning of each outcome. */
const OUTCOMES: Readonly<Record<string, string>> = {
  done: 'Done: the bot has obeyed',
  unfinished: 'The bot obeys, and something is still open',
  filed: 'Filed: the bot does not answer, and obeys as soon as it runs',
  refused: 'Refused: nothing was done',
  failed: 'Failed: nothing could be done',
  unknown: 'Not known',
};

interface ResultProps {
  readonly bot: BotDetail;
  readonly result: Result;
  readonly onClose: () => void;
}

export function ActResult({ bot, result, onClose }: ResultProps): ComponentChild {
  const { outcome, words } = result;
  const watchdog = 'watchdog' in result ? result.watchdog : null;
  // A state that was read before the act is not its result.
  const isAfter = !('time' in result) || bot.time >= result.time;
  const mood = outcome === 'done' ? 'good' : outcome === 'filed' || outcome === 'refused' ? 'warn' : 'bad';
  return h(
    Fragment,
    null,
    h(
      'div',
      { role: 'alert', class: `outcome ${mood}` },
      h('p', null, h('b', null, `${OUTCOMES[outcome] ?? outcome}.`)),
      h('p', null, words),
    ),
    watchdog === 'runs' && h('p', null, 'A watchdog runs, and acts meanwhile.'),
    watchdog === 'none' &&
      h('p', { class: 'trouble' }, 'No watchdog runs: until the bot answers again, nothing acts. Look at the exchange.'),
    isAfter &&
      h('p', { class: 'note' }, 'The bot now: ', h(State, { state: bot.state, proof: bot.proof }), bot.why !== '' && ` ${bot.why}`),
    h('div', { class: 'choices' }, h('button', { type: 'button', class: 'primary', onClick: onClose }, 'Close')),
  );
}
