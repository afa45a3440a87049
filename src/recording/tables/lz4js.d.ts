declare module 'lz4js' {
  const lz4: { decompress(packed: Uint8Array): ArrayLike<number> };
  export default lz4;
}
