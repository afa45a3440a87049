// The six bars of `forms.ts` as the usual programs pack them.

/** By xz. */
export const XZ = Buffer.from(
  [
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AFpAIVdADoaSfrgnbzlLW4eb5JbcvtpldGufQG5Y3juAYkP5YsKfLqOQy+OW4sJRBLB9UNcNL3krQyqnNci9aBv',
    'dvyUVC6X2pSewGYbYPqNLbj9TkvTOkwrc8t7JgOw7k+ZMSujhZfdpA+taSq4d0tH5yTtzmhDzmlpJKLhp3qDT46T+0F9ucJ+9pwAAAAAWlZvVI40Kk0AAaEB',
    '6gIAABRKM5axxGf7AgAAAAAEWVo=',
  ].join(''),
  'base64',
);

/** By zstd. */
export const ZST = Buffer.from(
  [
    'KLUv/QRoFQQA0oYUEaBvgErQ61fVaKT+UjdVBeMB4MObb/+CSCmHdBlvyiD+Tg7xc8RAx4U/vwneIjRCA/GHFu+huwniLoKcMowA6lUXLasZXeIbHbPVGEMl',
    'I6vXaCKoMahsaWm1fgbQSxsQIGWO6QGBerOyqnIiu3rQNWk1qhjRSWsFUO182ucqNQbqxt8=',
  ].join(''),
  'base64',
);

/** By bzip2. */
export const BZ2 = Buffer.from(
  [
    'QlpoOTFBWSZTWYFyeUoAALLZgDAQAAV/4Arnz4AwAKsw0Q9RNAHqDRo0GKDU2oAAACRFMmo/SgAACE1wCAPRVWCuVALU4iJMzNM6a7MSSSTdKEYJotOjAuno',
    'oEGppPGIRIkiEEiBPKCCzBgQ3pzFBYZRArimHQqFEjimgKVxXExaAptd7JCZeuMitawsCmHlatNYcvICnMI6grXvs7++P9+lSxsIjxz3/i7kinChIQLk8pQ=',
  ].join(''),
  'base64',
);

/** By bzip2, in two parts. */
export const BZ2_TWO = Buffer.from(
  [
    'QlpoOTFBWSZTWf4zMIgAADBZgCAQAAV/4Arnz4AgAFQ1T1PU9IMgZM0J6CVNT1PUGjaTQAaWk4wVCvOzFwZIUTMSA82sFkjq4ssG0IhQUy4G7vQQ0gNoAIVB',
    'ayqkr1O/+qsjBwbMzwLuSKcKEh/GZhEAQlpoOTFBWSZTWaVId/sAAAnYADAQAAV/4CAAiBKE9KekNP1QSEmimPUSw8iIWilNSA22vefNCSXN5q7rFvA6kDm7',
    'GIpg20H70nyIRv4GaH3EWio+wxEoflJLzaNoaNCKvbgSb5gXqw4io8401jrAR10j+LuSKcKEhSpDv9g=',
  ].join(''),
  'base64',
);
