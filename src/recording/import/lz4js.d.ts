declare module 'lz4js' {
  export function decompress(packed: Uint8Array): ArrayLike<number>;
}
