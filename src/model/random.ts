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

/**
 * Where the standard normal distribution has this share below it: M. J. Wichura's algorithm AS 241, PPND16 (Applied
 * Statistics 37, 1988), good to some 16 digits.
 * @param share above 0 and below 1.
 */
export function normalQuantile(share: number): number {
  const offset = share - 0.5;
  if (Math.abs(offset) <= 0.425) {
    const near = 0.180625 - offset * offset;
    return (offset * polynomial(CENTRE_ABOVE, near)) / polynomial(CENTRE_BELOW, near);
  }
  const root = Math.sqrt(-Math.log(offset < 0 ? share : 1 - share));
  const size =
    root <= 5
      ? polynomial(TAIL_ABOVE, root - 1.6) / polynomial(TAIL_BELOW, root - 1.6)
      : polynomial(FAR_ABOVE, root - 5) / polynomial(FAR_BELOW, root - 5);
  return offset < 0 ? -size : size;
}

/** From the highest power down. */
function polynomial(coefficients: readonly number[], at: number): number {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * at + coefficient;
  return sum;
}

const CENTRE_ABOVE = [
  2.509_080_928_730_122_7e3, 3.343_057_558_358_812_8e4, 6.726_577_092_700_87e4, 4.592_195_393_154_987e4, 1.373_169_376_550_946_1e4,
  1.971_590_950_306_551_3e3, 1.331_416_678_917_843_8e2, 3.387_132_872_796_366_5,
];
const CENTRE_BELOW = [
  5.226_495_278_852_854e3, 2.872_908_573_572_194_3e4, 3.930_789_580_009_271e4, 2.121_379_430_158_659_7e4, 5.394_196_021_424_751e3,
  6.871_870_074_920_579e2, 4.231_333_070_160_091e1, 1,
];
const TAIL_ABOVE = [
  7.745_450_142_783_414e-4, 2.272_384_498_926_918_4e-2, 2.417_807_251_774_506e-1, 1.270_458_252_452_368_4, 3.647_848_324_763_204_5,
  5.769_497_221_460_691, 4.630_337_846_156_545_6, 1.423_437_110_749_683_5,
];
const TAIL_BELOW = [
  1.050_750_071_644_416_9e-9, 5.475_938_084_995_345e-4, 1.519_866_656_361_645_7e-2, 1.481_039_764_274_800_8e-1, 6.897_673_349_851e-1,
  1.676_384_830_183_803_8, 2.053_191_626_637_759, 1,
];
const FAR_ABOVE = [
  2.010_334_399_292_288_1e-7, 2.711_555_568_743_487_6e-5, 1.242_660_947_388_078_4e-3, 2.653_218_952_657_612_4e-2,
  2.965_605_718_285_048_7e-1, 1.784_826_539_917_291_3, 5.463_784_911_164_114, 6.657_904_643_501_103,
];
const FAR_BELOW = [
  2.044_263_103_389_939_7e-15, 1.421_511_758_316_446e-7, 1.846_318_317_510_054_8e-5, 7.868_691_311_456_133e-4, 1.487_536_129_085_061_5e-2,
  1.369_298_809_227_358e-1, 5.998_322_065_558_88e-1, 1,
];
