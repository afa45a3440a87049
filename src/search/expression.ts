import { suggestion } from '../model/nearest.ts';

/** Values by name; `undefined` or null: the name has no value at present. */
export type Values = Readonly<Record<string, number | null | undefined>>;

/** A formula over names, parsed and never run as code. */
export interface Formula {
  readonly text: string;
  /** A number, or true and false as 1 and 0; `undefined` if a name in it has no value, or the result is not finite. */
  of(values: Values): number | undefined;
  /**
   * Whether it may be true of any values within these bounds, by interval arithmetic. `false` is certain, `true` may be too cautious. A
   * name without bounds may have any value.
   */
  canHold(bounds: Bounds): boolean;
}

/** The smallest and the largest value that something may have. */
export type Range = readonly [low: number, high: number];

/** The values that names may have. */
export type Bounds = Readonly<Record<string, Range | undefined>>;

/** Why a text is no formula. */
export class FormulaError extends Error {
  /** @param at index of the character that it is about, from 0. */
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** The longest formula: no person writes a longer one, and a deeply nested one would overflow the stack. */
const LONGEST = 1_000;

/**
 * Reads a formula: numbers, names, `+ - * / ^`, comparisons, `and`, `or`, `not`, parentheses, and the functions abs, sqrt, log, exp,
 * min and max.
 * @param names that may occur in it.
 * @throws FormulaError
 */
export function parseFormula(text: string, names: readonly string[]): Formula {
  if (text.length > LONGEST) throw new FormulaError(`expected at most ${LONGEST} characters`, LONGEST);
  const whole = new Parser(text, names).whole();
  return {
    text,
    of: (values) => {
      const result = whole.of(values);
      return Number.isFinite(result) ? result : undefined;
    },
    canHold: (bounds) => !isFalse(whole.within(bounds)),
  };
}

/** A part of a formula. */
interface Term {
  /** NaN stands for no value. */
  readonly of: (values: Values) => number;
  /** The values that it may have, those without one apart: a formula with such a part has none itself. */
  readonly within: (bounds: Bounds) => Range;
}

/** An operator, and what it makes of ranges. */
interface Binary {
  readonly of: (a: number, b: number) => number;
  readonly within: (a: Range, b: Range) => Range;
}

const ANY: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const EITHER: Range = [0, 1];

const isFalse = ([low, high]: Range) => low === 0 && high === 0;
const isTrue = ([low, high]: Range) => low > 0 || high < 0;
const known = (always: boolean, never: boolean): Range => (always ? [1, 1] : never ? [0, 0] : EITHER);
const not = (range: Range): Range => known(isFalse(range), isTrue(range));

/** For an operation that rounds to the nearest double, and so keeps the order of its results: the extremes are at the ends. */
function extremes(of: (a: number, b: number) => number): (a: Range, b: Range) => Range {
  return (a, b) => {
    const ends = a.flatMap((x) => b.map((y) => of(x, y)));
    return ends.some(Number.isNaN) ? ANY : [Math.min(...ends), Math.max(...ends)];
  };
}

const quotients = extremes((a, b) => a / b);
const below = (a: Range, b: Range) => known(a[1] < b[0], a[0] >= b[1]);
const notAbove = (a: Range, b: Range) => known(a[1] <= b[0], a[0] > b[1]);
const equal = (a: Range, b: Range) => known(a[0] === b[1] && a[1] === b[0], a[0] > b[1] || b[0] > a[1]);

const COMPARISONS: Readonly<Record<string, Binary>> = {
  '<': { of: (a, b) => truth(a < b, a, b), within: below },
  '<=': { of: (a, b) => truth(a <= b, a, b), within: notAbove },
  '>': { of: (a, b) => truth(a > b, a, b), within: (a, b) => below(b, a) },
  '>=': { of: (a, b) => truth(a >= b, a, b), within: (a, b) => notAbove(b, a) },
  '==': { of: (a, b) => truth(a === b, a, b), within: equal },
  '!=': { of: (a, b) => truth(a !== b, a, b), within: (a, b) => not(equal(a, b)) },
};
const plus = (a: number, b: number) => a + b;
const minus = (a: number, b: number) => a - b;
const times = (a: number, b: number) => a * b;
const SUMS: Readonly<Record<string, Binary>> = { '+': { of: plus, within: extremes(plus) }, '-': { of: minus, within: extremes(minus) } };
const PRODUCTS: Readonly<Record<string, Binary>> = {
  '*': { of: times, within: extremes(times) },
  '/': { of: (a, b) => a / b, within: (a, b) => (b[0] <= 0 && b[1] >= 0 ? ANY : quotients(a, b)) },
};
// A power, a logarithm and an exponential need not be rounded to the nearest double.
const POWER: Binary = { of: (a, b) => a ** b, within: () => ANY };
const ANDS: Readonly<Record<string, Binary>> = {
  and: {
    of: (a, b) => truth(a !== 0 && b !== 0, a, b),
    within: (a, b) => known(isTrue(a) && isTrue(b), isFalse(a) || isFalse(b)),
  },
};
const ORS: Readonly<Record<string, Binary>> = {
  or: {
    of: (a, b) => truth(a !== 0 || b !== 0, a, b),
    within: (a, b) => known(isTrue(a) || isTrue(b), isFalse(a) && isFalse(b)),
  },
};

interface Known {
  readonly arguments: readonly [least: number, most: number];
  readonly of: (...all: number[]) => number;
  readonly within: (...all: Range[]) => Range;
}

const FUNCTIONS: Readonly<Record<string, Known>> = {
  abs: {
    arguments: [1, 1],
    of: Math.abs,
    within: ([low, high]: Range) => [low <= 0 && high >= 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)), Math.max(-low, high)],
  },
  sqrt: { arguments: [1, 1], of: Math.sqrt, within: ([low, high]: Range) => [Math.sqrt(Math.max(low, 0)), Math.sqrt(Math.max(high, 0))] },
  log: { arguments: [1, 1], of: Math.log, within: () => ANY },
  exp: { arguments: [1, 1], of: Math.exp, within: () => ANY },
  min: {
    arguments: [1, 10],
    of: Math.min,
    within: (...all) => [Math.min(...all.map(([low]) => low)), Math.min(...all.map(([, high]) => high))],
  },
  max: {
    arguments: [1, 10],
    of: Math.max,
    within: (...all) => [Math.max(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))],
  },
};

/** A comparison with what has no value has none. */
function truth(is: boolean, a: number, b: number): number {
  return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Number(is);
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.-]*)|(<=|>=|==|!=|[-+*/^()<>,]))/y;

/** Names may have hyphens and dots, as parameters do: a difference of two names needs blanks around its sign. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ''; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) {
      const wrong = at + (text.slice(at).length - text.slice(at).trimStart().length);
      throw new FormulaError(`unexpected "${text[wrong]}"`, wrong);
    }
    const found = match[1] ?? match[2] ?? match[3]!;
    tokens.push({ text: found, at: TOKEN.lastIndex - found.length });
  }
  return tokens;
}

function combined({ of, within }: Binary, left: Term, right: Term): Term {
  return { of: (values) => of(left.of(values), right.of(values)), within: (bounds) => within(left.within(bounds), right.within(bounds)) };
}

class Parser {
  readonly #tokens: readonly Token[];
  #place = 0;

  constructor(
    private readonly text: string,
    private readonly names: readonly string[],
  ) {
    this.#tokens = tokensOf(text);
  }

  whole(): Term {
    const term = this.#either();
    if (this.#next !== undefined) throw this.#unexpected();
    return term;
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#place];
  }

  readonly #either = (): Term => this.#chain(ORS, this.#both);
  readonly #both = (): Term => this.#chain(ANDS, this.#negation);

  readonly #negation = (): Term => {
    if (!this.#takes('not')) return this.#comparison();
    const term = this.#negation();
    return {
      of: (values) => {
        const value = term.of(values);
        return Number.isNaN(value) ? value : Number(value === 0);
      },
      within: (bounds) => not(term.within(bounds)),
    };
  };

  readonly #comparison = (): Term => {
    const left = this.#sum();
    const compare = COMPARISONS[this.#next?.text ?? ''];
    if (compare === undefined) return left;
    this.#place++;
    const right = this.#sum();
    if (COMPARISONS[this.#next?.text ?? ''] !== undefined)
      throw new FormulaError('compare two values at a time: write a < b and b < c', this.#next!.at);
    return combined(compare, left, right);
  };

  readonly #sum = (): Term => this.#chain(SUMS, this.#product);
  readonly #product = (): Term => this.#chain(PRODUCTS, this.#signed);

  readonly #signed = (): Term => {
    if (!this.#takes('-')) return this.#power();
    const term = this.#signed();
    return {
      of: (values) => -term.of(values),
      within: (bounds) => {
        const [low, high] = term.within(bounds);
        return [-high, -low];
      },
    };
  };

  /** A power of a power is computed from the right, as on paper. */
  readonly #power = (): Term => {
    const base = this.#primary();
    if (!this.#takes('^')) return base;
    return combined(POWER, base, this.#signed());
  };

  readonly #primary = (): Term => {
    const token = this.#next;
    if (token === undefined) throw this.#unexpected();
    if (this.#takes('(')) {
      const inner = this.#either();
      this.#expect(')');
      return inner;
    }
    if (/^[\d.]/.test(token.text)) {
      this.#place++;
      const number = Number(token.text);
      return { of: () => number, within: () => [number, number] };
    }
    if (!/^[A-Za-z_]/.test(token.text) || RESERVED.includes(token.text)) throw this.#unexpected();
    this.#place++;
    return this.#next?.text === '(' ? this.#call(token) : this.#name(token);
  };

  #name({ text, at }: Token): Term {
    if (!this.names.includes(text)) throw new FormulaError(`no such name "${text}"${suggestion(text, this.names)}`, at);
    return { of: (values) => values[text] ?? Number.NaN, within: (bounds) => bounds[text] ?? ANY };
  }

  #call({ text, at }: Token): Term {
    const called = Object.hasOwn(FUNCTIONS, text) ? FUNCTIONS[text] : undefined;
    if (called === undefined) throw new FormulaError(`no such function "${text}"${suggestion(text, Object.keys(FUNCTIONS))}`, at);
    this.#expect('(');
    const given = [this.#either()];
    while (this.#takes(',')) given.push(this.#either());
    this.#expect(')');
    const [least, most] = called.arguments;
    if (given.length < least || given.length > most)
      throw new FormulaError(`${text} takes ${least === most ? least : `${least} to ${most}`} values, not ${given.length}`, at);
    return {
      of: (values) => called.of(...given.map((one) => one.of(values))),
      within: (bounds) => called.within(...given.map((one) => one.within(bounds))),
    };
  }

  #chain(operators: Readonly<Record<string, Binary>>, operand: () => Term): Term {
    let term = operand();
    for (;;) {
      const text = this.#next?.text ?? '';
      if (!Object.hasOwn(operators, text)) return term;
      this.#place++;
      term = combined(operators[text]!, term, operand());
    }
  }

  #takes(text: string): boolean {
    if (this.#next?.text !== text) return false;
    this.#place++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw new FormulaError(`expected "${text}"`, this.#next?.at ?? this.text.length);
  }

  #unexpected(): FormulaError {
    const token = this.#next;
    return token === undefined
      ? new FormulaError('expected a number, a name or a function', this.text.length)
      : new FormulaError(`unexpected "${token.text}"`, token.at);
  }
}

const RESERVED = ['and', 'or', 'not'];
