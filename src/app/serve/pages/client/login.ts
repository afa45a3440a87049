import { type ComponentChild, h } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../../api/access-schemas.ts';
import { type ApiError, call } from './api.ts';

/** Asks for a token. */
export function Login({ onLogin }: { readonly onLogin: (session: Session) => void }): ComponentChild {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get('token') ?? '').trim();
    setBusy(true);
    try {
      onLogin(await call('login', 'api/session', { method: 'POST', body: { token } }));
    } catch (error) {
      setProblem((error as ApiError).message);
    } finally {
      setBusy(false);
    }
  };
  return h(
    'form',
    { class: 'login', onSubmit: submit },
    // For password managers: a token is kept under this name.
    h('input', {
      ...{
        class: 'unseen',
        name: 'name',
        autocomplete: 'username',
        value: 'tidegate',
        readOnly: true,
        tabIndex: -1,
        'aria-hidden': 'true',
      },
    }),
    h('label', { for: 'token' }, 'Token'),
    h('input', {
      ...{ id: 'token', name: 'token', type: 'password', autocomplete: 'current-password', required: true, maxLength: 200 },
      ...{ 'aria-describedby': 'token-help', 'aria-invalid': problem !== undefined },
    }),
    h('button', { type: 'submit', class: 'primary', disabled: isBusy }, 'Log in'),
    problem !== undefined && h('p', { class: 'trouble', role: 'alert' }, `Not logged in: ${problem}.`),
    h(
      'p',
      { class: 'note', id: 'token-help' },
      'The tokens of an operator and of a viewer are in the file that ',
      h('code', null, 'serve'),
      ' names at its start.',
    ),
  );
}
