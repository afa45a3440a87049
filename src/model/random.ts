// A local name: globals are slow to look up inside a vm context, such as jest's.
const { imul } = Math;
/**
 * Seeded random numbers: xoshiro128** 1.1 (D. Blackman, S. Vigna, 2018, public domain,
 * https://prng.di.unimi.it/xoshiro128starstar.c), its state filled by splitmix32 from an FNV-1a hash of
 * the seed and a label, so that streams of one seed with different labels are independent. Only integer
 * and IEEE arithmetic, never Math.log or Math.cos, so every machine draws the same numbers.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number, label: string) {
    let state = fnv1a(`${seed}/${label}`);
    const next = () => {
      state = (state + 0x9e37_79b9) | 0;
      let mixed = imul(state ^ (state >>> 16), 0x21f0_aaad);
      mixed = imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next();
  }

  /** Uniform in [0, 1), in steps of 2^-32. */
  uniform(): number {
    const scrambled = imul(rotate(imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotate(this.#d, 11);
    return (scrambled >>> 0) / 4_294_967_296;
  }

  /** Uniform in [low, high). */
  between(low: number, high: number): number {
    return low + this.uniform() * (high - low);
  }

  /** Mean 0 and variance 1, nearly normal (a sum of four uniforms, at most 3.5 in size): for many small steps. */
  normal(): number {
    return (this.uniform() + this.uniform() + this.uniform() + this.uniform() - 2) * 1.732_050_807_568_877_2;
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function fnv1a(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index++) hash = imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return hash;
}
