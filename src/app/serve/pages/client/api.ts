import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../api/access-schemas.ts';
import type { Answer, RouteName } from '../../api/routes.ts';

/** An answer that is no success, or no answer. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Where a request got no answer: it may have had its effect. */
export const NO_ANSWER = 'NO_ANSWER';
/** The session has ended. */
const LOGGED_OUT = new Set(['NO_TOKEN', 'WRONG_TOKEN']);

const lostSession = new Set<() => void>();

/** Calls back whenever an answer shows that the session has ended. @returns ends it. */
export function onLostSession(listener: () => void): () => void {
  lostSession.add(listener);
  return () => lostSession.delete(listener);
}

/** Calls a route of the API. @param path relative to the page. @throws ApiError */
export async function call<Name extends RouteName>(
  _name: Name,
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly body?: unknown } = {},
): Promise<Answer<Name>> {
  let response: Response;
  let answer: unknown;
  try {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    response = await fetch(path, { method, ...json });
    answer = await response.json();
  } catch {
    throw new ApiError(NO_ANSWER, 'the server does not answer');
  }
  if (response.ok) return answer as Answer<Name>;
  const { code = 'INTERNAL', message = `status ${response.status}` } = (answer as Partial<Problem>).error ?? {};
  if (LOGGED_OUT.has(code) && path !== 'api/session') for (const listener of lostSession) listener();
  throw new ApiError(code, message);
}

/** The knowledge of a route: the newest answer stays when a later request fails. */
export interface Known<Name extends RouteName> {
  readonly data?: Answer<Name>;
  readonly problem?: ApiError;
}

/** The answer of a route, asked again in a period while the page is visible. */
export function useApi<Name extends RouteName>(name: Name, path: string, everyMs: number): Known<Name> & { readonly again: () => void } {
  const [known, setKnown] = useState<Known<Name> & { readonly path: string }>({ path });
  const isAsking = useRef(false);
  const wanted = useRef(path);
  wanted.current = path;
  const ask = useCallback(async () => {
    if (isAsking.current || document.hidden) return;
    isAsking.current = true;
    try {
      const data = await call(name, path);
      // A slow answer of a page that was left is not shown on the next.
      if (wanted.current === path) setKnown({ path, data });
    } catch (error) {
      if (wanted.current === path)
        setKnown((before) => ({
          path,
          ...(before.path === path && before.data !== undefined && { data: before.data }),
          problem: error as ApiError,
        }));
    } finally {
      isAsking.current = false;
    }
  }, [name, path]);
  useEffect(() => {
    isAsking.current = false;
    void ask();
    const timer = setInterval(ask, everyMs);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [ask, everyMs]);
  const { path: of, ...rest } = known;
  return { ...(of === path ? rest : {}), again: () => void ask() } as Known<Name> & { readonly again: () => void };
}
