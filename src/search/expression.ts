import { suggestion } from '../model/nearest.ts';

/** Values by name; `undefined` or null: the name has no value at present. */
export type Values = Readonly<Record<string, number | null | undefined>>;

/** A formula over names, parsed and never run as code. */
export interface Formula {
  readonly text: string;
  /** A number, or true and false as 1 and 0; `undefined` if a name in it has no value, or the result is not finite. */
  of(values: Values): number | undefined;
}

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
  const evaluate = new Parser(text, names).whole();
  return {
    text,
    of: (values) => {
      const result = evaluate(values);
      return Number.isFinite(result) ? result : undefined;
    },
  };
}

/** NaN stands for no value. */
type Evaluate = (values: Values) => number;
type Binary = (a: number, b: number) => number;

const COMPARISONS: Readonly<Record<string, Binary>> = {
  '<': (a, b) => truth(a < b, a, b),
  '<=': (a, b) => truth(a <= b, a, b),
  '>': (a, b) => truth(a > b, a, b),
  '>=': (a, b) => truth(a >= b, a, b),
  '==': (a, b) => truth(a === b, a, b),
  '!=': (a, b) => truth(a !== b, a, b),
};
const SUMS: Readonly<Record<string, Binary>> = { '+': (a, b) => a + b, '-': (a, b) => a - b };
const PRODUCTS: Readonly<Record<string, Binary>> = { '*': (a, b) => a * b, '/': (a, b) => a / b };
const POWERS: Readonly<Record<string, Binary>> = { '^': (a, b) => a ** b };
const ANDS: Readonly<Record<string, Binary>> = { and: (a, b) => truth(a !== 0 && b !== 0, a, b) };
const ORS: Readonly<Record<string, Binary>> = { or: (a, b) => truth(a !== 0 || b !== 0, a, b) };

const FUNCTIONS: Readonly<
  Record<string, { readonly arguments: readonly [least: number, most: number]; readonly of: (...all: number[]) => number }>
> = {
  abs: { arguments: [1, 1], of: Math.abs },
  sqrt: { arguments: [1, 1], of: Math.sqrt },
  log: { arguments: [1, 1], of: Math.log },
  exp: { arguments: [1, 1], of: Math.exp },
  min: { arguments: [1, 10], of: Math.min },
  max: { arguments: [1, 10], of: Math.max },
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

class Parser {
  readonly #tokens: readonly Token[];
  #place = 0;

  constructor(
    private readonly text: string,
    private readonly names: readonly string[],
  ) {
    this.#tokens = tokensOf(text);
  }

  whole(): Evaluate {
    const formula = this.#either();
    if (this.#next !== undefined) throw this.#unexpected();
    return formula;
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#place];
  }

  readonly #either = (): Evaluate => this.#chain(ORS, this.#both);
  readonly #both = (): Evaluate => this.#chain(ANDS, this.#negation);

  readonly #negation = (): Evaluate => {
    if (!this.#takes('not')) return this.#comparison();
    const formula = this.#negation();
    return (values) => {
      const value = formula(values);
      return Number.isNaN(value) ? value : Number(value === 0);
    };
  };

  readonly #comparison = (): Evaluate => {
    const left = this.#sum();
    const compare = COMPARISONS[this.#next?.text ?? ''];
    if (compare === undefined) return left;
    this.#place++;
    const right = this.#sum();
    if (COMPARISONS[this.#next?.text ?? ''] !== undefined)
      throw new FormulaError('compare two values at a time: write a < b and b < c', this.#next!.at);
    return (values) => compare(left(values), right(values));
  };

  readonly #sum = (): Evaluate => this.#chain(SUMS, this.#product);
  readonly #product = (): Evaluate => this.#chain(PRODUCTS, this.#signed);

  readonly #signed = (): Evaluate => {
    if (!this.#takes('-')) return this.#power();
    const formula = this.#signed();
    return (values) => -formula(values);
  };

  /** A power of a power is computed from the right, as on paper. */
  readonly #power = (): Evaluate => {
    const base = this.#primary();
    if (!this.#takes('^')) return base;
    const exponent = this.#signed();
    return (values) => POWERS['^']!(base(values), exponent(values));
  };

  readonly #primary = (): Evaluate => {
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
      return () => number;
    }
    if (!/^[A-Za-z_]/.test(token.text) || RESERVED.includes(token.text)) throw this.#unexpected();
    this.#place++;
    return this.#next?.text === '(' ? this.#call(token) : this.#name(token);
  };

  #name({ text, at }: Token): Evaluate {
    if (!this.names.includes(text)) throw new FormulaError(`no such name "${text}"${suggestion(text, this.names)}`, at);
    return (values) => values[text] ?? Number.NaN;
  }

  #call({ text, at }: Token): Evaluate {
    const known = Object.hasOwn(FUNCTIONS, text) ? FUNCTIONS[text] : undefined;
    if (known === undefined) throw new FormulaError(`no such function "${text}"${suggestion(text, Object.keys(FUNCTIONS))}`, at);
    this.#expect('(');
    const given = [this.#either()];
    while (this.#takes(',')) given.push(this.#either());
    this.#expect(')');
    const [least, most] = known.arguments;
    if (given.length < least || given.length > most)
      throw new FormulaError(`${text} takes ${least === most ? least : `${least} to ${most}`} values, not ${given.length}`, at);
    return (values) => known.of(...given.map((one) => one(values)));
  }

  #chain(operators: Readonly<Record<string, Binary>>, operand: () => Evaluate): Evaluate {
    let formula = operand();
    for (;;) {
      const text = this.#next?.text ?? '';
      if (!Object.hasOwn(operators, text)) return formula;
      this.#place++;
      const [left, right, combine] = [formula, operand(), operators[text]!];
      formula = (values) => combine(left(values), right(values));
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
