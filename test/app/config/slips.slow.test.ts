import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { isMap, isScalar, type Node, type Pair, parse, parseDocument, stringify, visit } from 'yaml';
import { loadConfig, loadSettings } from '../../../src/app/config/load-config.ts';
import { configJsonSchema } from '../../../src/app/config/schema/schema.ts';
import { ExchangeConfigSchema } from '../../../src/app/local-exchange/exchange-config.ts';
import { TidegateError } from '../../../src/model/errors.ts';
import { loadText, MINIMAL, refusal, writeConfigs } from './config-files.ts';
import { BASE, ENVIRONMENT, EVERY_KEY } from './every-key.ts';
import { schemaKeys } from './schema-keys.ts';

const CONFIGS = fileURLToPath(new URL('../../../configs/', import.meta.url));

interface Slip {
  readonly what: string;
  readonly text: string;
}

/** What stands in place of the colon and the blank. */
const SIGNS: Readonly<Record<string, string>> = {
  'no blank': ':',
  'an equals sign': '=',
  'an equals sign and a blank': '= ',
  'an equals sign between blanks': ' = ',
  'a semicolon': ';',
  'a semicolon and a blank': '; ',
  nothing: ' ',
  'a full-width colon': '\uFF1A',
  'a full-width colon and a blank': '\uFF1A ',
  'a no-break space': ':\u00A0',
  'a no-break space more': ': \u00A0',
};

/** Every slip of every key of the text, one at a time. */
function slipsOf(text: string): Slip[] {
  const slips: Slip[] = [];
  visit(parseDocument(text), {
    Pair(_, pair) {
      const { key, value } = pair as Pair<Node, Node | null>;
      const from = key.range![1];
      const name = isScalar(key) ? String(key.value) : '';
      const slip = (what: string, sign: string, to: number, rest = text.slice(to)) => {
        slips.push({ what: `${name} at ${from}: ${what}`, text: text.slice(0, from) + sign + rest });
      };
      const begin = value?.range?.[0] ?? from;
      const end = value?.range?.[1] ?? from;
      const isBlock = text.slice(from, begin).includes('\n');
      for (const [what, sign] of Object.entries(SIGNS)) slip(what, isBlock ? sign.trimEnd() : sign, isBlock ? from + 1 : begin);
      slip('no value', ':', end);
      if (!isBlock) slip('the value in a comment', ': # ', begin);
    },
  });
  return slips;
}

/** Of long configs, one in so many slips, which are others for each key. `SLIPS=all` tries every one (1 minute more). */
const STRIDE = process.env.SLIPS === 'all' ? 1 : 5;

/** Slips that load, and are another config than the right one. */
function silent(text: string, load: (text: string) => unknown, stride = 1): { readonly tried: number; readonly silent: string[] } {
  const right = load(text);
  const slips = slipsOf(text).filter((_, index) => index % stride === 0);
  const wrong = slips.filter((slip) => {
    try {
      return JSON.stringify(load(slip.text)) !== JSON.stringify(right);
    } catch (error) {
      if (error instanceof TidegateError) return false;
      throw error;
    }
  });
  return { tried: slips.length, silent: wrong.map(({ what }) => what) };
}

/** The same config in other styles of YAML. */
const STYLES: Readonly<Record<string, (text: string) => string>> = {
  'in blocks': (text) => stringify(parse(text), { collectionStyle: 'block' }),
  'in braces': (text) => {
    const document = parseDocument(text);
    if (isMap(document.contents))
      for (const { value } of document.contents.items as Pair<Node, Node & { flow?: boolean }>[]) if (value !== null) value.flow = true;
    return document.toString({ lineWidth: 0 });
  },
};

let tried = 0;

describe('a slip in one key never passes silently', () => {
  const examples = readdirSync(CONFIGS).filter((name) => name.endsWith('.yaml'));
  test.each(examples)('configs/%s', (name) => {
    const file = join(CONFIGS, name);
    const load = (text: string) =>
      name === 'exchange.yaml'
        ? loadSettings(ExchangeConfigSchema, writeText(text), [], {})
        : loadConfig(file, { text, env: ENVIRONMENT }).text;
    const result = silent(readFileSync(file, 'utf8'), load);
    tried += result.tried;
    expect(result.silent).toEqual([]);
  });

  const styled = Object.keys(EVERY_KEY).flatMap((name) => Object.keys(STYLES).map((style) => [name, style] as const));
  test.each(styled)('%s, %s', (name, style) => {
    const file = join(writeConfigs({ ...EVERY_KEY, ...BASE, 'secret.txt': 's' }), name);
    const text = STYLES[style]!(EVERY_KEY[name]!);
    const result = silent(text, (changed) => loadConfig(file, { text: changed, env: ENVIRONMENT }).text, STRIDE);
    tried += result.tried;
    expect(result.silent).toEqual([]);
  });

  test('more than 4,000', () => {
    expect(tried).toBeGreaterThan(4_000);
  });

  function writeText(text: string): string {
    return join(writeConfigs({ 'exchange.yaml': text }), 'exchange.yaml');
  }
});

test('these configs use every key of the schema', () => {
  const used = new Set<string>();
  const note = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) note(item, `${path}[]`);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        used.add(path === '' ? key : `${path}.${key}`);
        note(inner, path === '' ? key : `${path}.${key}`);
        for (const any of ['<symbol>', '<id>']) note(inner, `${path}.${any}`);
      }
    }
  };
  for (const text of Object.values(EVERY_KEY)) note(parse(text), '');
  const unused = schemaKeys(JSON.parse(configJsonSchema()))
    .map(([path]) => path)
    .filter((path) => !used.has(path));
  expect(unused).toEqual([]);
});

test.each([
  ['{ account: { maxDrawdown:0.2 } }', 'a.yaml:8:20: "maxDrawdown..." has no value: a blank may be missing after the colon'],
  ['{ account: { maxDrawdown=0.2 } }', 'a.yaml:8:20: "maxDrawdown..." has no value: write a colon and a blank instead of "="'],
  ['{ account: { maxDrawdown\uFF1A0.2 } }', 'a.yaml:8:20: "maxDrawdown..." has no value: write a colon and a blank instead of "\uFF1A"'],
  [
    '{ account: { maxDrawdown:\u00A00.2 } }',
    'a.yaml:8:20: "maxDrawdown..." has no value: the blank after the colon may be a no-break space: type it again',
  ],
  [
    '{ account: { maxDrawdown: } }',
    'a.yaml:8:20: "maxDrawdown" has no value: write one, or remove the key; `null` removes an inherited setting',
  ],
  ['', 'a.yaml:8:1: "risk" has no value: write one, or remove the key; `null` removes an inherited setting'],
  ['\n  account:', 'a.yaml:9:3: "account" has no value: write one'],
  [
    '\n  account:\n    maxDrawdown:0.2',
    'a.yaml:10:5: expected settings or a value in quotes below "account": a blank may be missing after the colon',
  ],
  ['\n  account:\n    maxDrawdown 0.2', 'a.yaml:10:5: expected settings or a value in quotes below "account"'],
  ['{ account: { maxDrawdwn: null } }', 'a.yaml:8:20: risk.account.maxDrawdwn: unknown key (did you mean "maxDrawdown"?)'],
  ['{ maxDrawdown: ~ }', 'a.yaml:8:9: risk.maxDrawdown: unknown key'],
  ['{ positions: { BTC-USDT: \u00A02 } }', 'a.yaml:8:32: this value begins or ends with a blank that YAML reads as a letter'],
])('risk: %s is refused at its place', (written, message) => {
  expect(refusal(() => loadText(`${MINIMAL}risk: ${written}\n`))).toContain(message);
});

test.each(['null', '~'])('%s takes an inherited setting away', (nothing) => {
  const { config } = loadText(`${MINIMAL}risk: { account: { maxDrawdown: "0.2" } }\n`, { set: [`risk.account.maxDrawdown=${nothing}`] });
  expect(config.risk.account).toEqual({});
});

test.each([
  ['live: { keys: { secret hunter2, key;hunter2, passphrase\uFF1Ahunter2 } }', 'has no value'],
  ['live: { post: { token: hunter2 } }', 'live.post.token: expected a reference to a secret'],
  ['paper: { prices: { recording: sample }, post: { tocken: hunter2 } }', 'paper.post.tocken: unknown'],
])('a secret behind the slip %# is not shown', (text, problem) => {
  const message = refusal(() => loadText(`${MINIMAL}${text}\n`));
  expect(message).toContain(problem);
  expect(message).not.toContain('hunter2');
});
