import type { ConfigPath } from './config-path.ts';
import { isSecretPath, type Problem } from './problem.ts';
import { readTree } from './read-tree.ts';
import { makeSource, type Position, type Source } from './source.ts';
import { type ConfigNode, child, mapScalars, type ScalarNode } from './tree.ts';

interface Segment {
  readonly key: string;
  readonly at: Position;
}

/**
 * Lays one `--set a.b.0.c=value` over the tree. The value is YAML; missing maps are made; a list item must
 * exist; an empty value takes the setting away.
 */
export function applyOverride(root: ConfigNode, argument: string): { root: ConfigNode; problems: readonly Problem[] } {
  const source = makeSource('--set', process.cwd(), argument);
  const equals = argument.indexOf('=');
  const segments = split(argument.slice(0, Math.max(equals, 0)), source);
  const fault = (at: Position, message: string) => ({ root, problems: [{ at, message }] });
  const start: Position = { source, line: 1, column: 1 };
  if (equals < 0 || segments.some(({ key }) => key === '' || key === '__proto__')) {
    return fault(start, 'expected --set path.to.setting=value, such as --set strategies.0.params.fast=10');
  }
  if (segments[0]?.key === 'extends') return fault(start, '`extends` cannot be set from the command line');
  // Blanks in place of the path keep the columns of the value those of the argument.
  const { root: value, problems } = readTree(' '.repeat(equals + 1) + argument.slice(equals + 1), source);
  if (problems.length > 0) return { root, problems };
  const empty: ConfigNode = { kind: 'scalar', at: start, value: null, text: '', plain: true };
  try {
    return { root: put(root, segments, value ?? empty), problems: [] };
  } catch (error) {
    if (error instanceof Misplaced) return fault(error.at, error.message);
    throw error;
  }
}

/** A path that runs into a value or past the end of a list. */
class Misplaced extends Error {
  constructor(
    readonly at: Position,
    message: string,
  ) {
    super(message);
  }
}

function put(node: ConfigNode | undefined, [segment, ...rest]: readonly Segment[], value: ConfigNode): ConfigNode {
  if (segment === undefined) return value;
  const { key, at } = segment;
  if (node?.kind === 'list') {
    const index = /^\d+$/.test(key) ? Number(key) : -1;
    if (index < 0 || index >= node.items.length)
      throw new Misplaced(at, `expected the number of a list item below ${node.items.length}, not "${key}"`);
    return { ...node, items: node.items.map((item, place) => (place === index ? put(item, rest, value) : item)) };
  }
  if (node?.kind === 'scalar' && node.value !== null) throw new Misplaced(at, `"${key}" is looked for inside a plain value`);
  const entries = new Map(node?.kind === 'map' ? node.entries : []);
  entries.set(key, { keyAt: at, value: put(entries.get(key)?.value, rest, value) });
  return { kind: 'map', at: node?.at ?? at, entries };
}

function split(path: string, source: Source): Segment[] {
  let column = 1;
  return path.split('.').map((key) => {
    const at = { source, line: 1, column };
    column += key.length + 1;
    return { key, at };
  });
}

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
