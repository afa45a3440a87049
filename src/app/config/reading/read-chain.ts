import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { merge, without } from './merge.ts';
import { type Environment, substituteText } from './overrides.ts';
import type { Problem } from './problem.ts';
import { readTree } from './read-tree.ts';
import { makeSource, type Position } from './source.ts';
import type { ConfigNode } from './tree.ts';

/** A file's tree laid over what it extends; problems of all files of the chain are collected. */
export class ChainReader {
  readonly problems: Problem[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** @param known what stands in the first file, where that is not to be read. @throws TidegateError CONFIG_NOT_FOUND when it cannot be. */
  read(shown: string, known?: string): ConfigNode {
    const file = resolve(shown);
    if (known !== undefined) return this.#readText(known, shown, [file]);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      throw new TidegateError('CONFIG_NOT_FOUND', `${shown}: cannot read this config file (${reason(error)})`, { cause: error });
    }
    return this.#readText(text, shown, [file]);
  }

  #readText(text: string, shown: string, chain: readonly string[]): ConfigNode {
    const source = makeSource(shown, dirname(chain.at(-1) ?? ''), text);
    const { root, problems } = readTree(text, source);
    this.problems.push(...problems);
    const top: Position = { source, line: 1, column: 1 };
    if (root === undefined) return { kind: 'map', at: top, entries: new Map() };
    if (root.kind !== 'map') {
      this.problems.push({ at: root.at, message: 'expected a map of settings, such as `name: my-bot`' });
      return { kind: 'map', at: top, entries: new Map() };
    }
    const base = root.entries.get('extends')?.value;
    const own = without(root, 'extends');
    if (base === undefined || (base.kind === 'scalar' && base.value === null)) return own;
    if (base.kind !== 'scalar') return this.#refuse(base.at, 'expected the path of a config file', own);
    const { text: path, problem } = substituteText(base.text, this.#environment);
    if (problem !== undefined) return this.#refuse(base.at, problem, own);
    return this.#readBase(path, base.at, own, chain);
  }

  #readBase(path: string, at: Position, own: ConfigNode, chain: readonly string[]): ConfigNode {
    const file = resolve(at.source.folder, path);
    if (chain.includes(file)) return this.#refuse(at, `${path} is extended in a circle`, own);
    try {
      const shown = isAbsolute(path) ? path : join(dirname(at.source.shown), path);
      return merge(this.#readText(readFileSync(file, 'utf8'), shown, [...chain, file]), own);
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      return this.#refuse(at, `cannot read ${path} (${reason(error)})`, own);
    }
  }

  #refuse(at: Position, message: string, own: ConfigNode): ConfigNode {
    this.problems.push({ at, path: ['extends'], message });
    return own;
  }
}

function reason(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return error instanceof Error ? error.message : String(error);
}
