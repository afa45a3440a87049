import type { ConfigPath } from './config-path.ts';
import type { Problem } from './problem.ts';
import { isSecretPath } from './secret.ts';
import { type ConfigNode, child, mapScalars, type ScalarNode } from './tree.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$${` (an escape), `${NAME}`, `${NAME:-default}`, or a `${` that is none of these. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}|\$\{/g;

/** The text with its variables put in; `problem` says what is wrong with the first that could not be. */
export function substituteText(text: string, environment: Environment): { text: string; problem: string | undefined } {
  let problem: string | undefined;
  const result = text.replace(REFERENCE, (match, name: string | undefined, marked: string | undefined, fallback: string | undefined) => {
    if (match.startsWith('$$')) return match.slice(1);
    if (name === undefined) {
      problem ??= `expected $\{NAME} or $\{NAME:-default}; write $$\{ for a plain $\{`;
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (marked !== undefined) return value || (fallback ?? '');
    if (value === undefined) problem ??= `the environment variable ${name} is not set`;
    return value ?? match;
  });
  return { text: result, problem };
}

/** Puts environment variables into all text but secrets, which stay references: theirs must be set once `live.enabled`. */
export function substitute(root: ConfigNode, environment: Environment): { root: ConfigNode; problems: Problem[] } {
  const problems: Problem[] = [];
  const enabled = ['live', 'enabled'].reduce<ConfigNode | undefined>((node, key) => node && child(node, key), root);
  const isLive = enabled?.kind === 'scalar' && enabled.value === true;
  const change = (scalar: ScalarNode, path: ConfigPath): ConfigNode => {
    if (typeof scalar.value !== 'string' || !scalar.value.includes('$')) return scalar;
    const { text, problem } = substituteText(scalar.value, environment);
    const isSecret = isSecretPath(path);
    if (problem !== undefined && (isLive || !isSecret)) problems.push({ at: scalar.at, path, message: problem });
    return isSecret ? scalar : { ...scalar, text, value: scalar.plain ? plainValue(text) : text };
  };
  return { root: mapScalars(root, change), problems };
}

/** The value of an unquoted text, as YAML's core schema reads it. */
function plainValue(text: string): ScalarNode['value'] {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}
