/** The part of seek-bzip that is used here; the package has no types. */
declare module 'seek-bzip' {
  interface Input {
    /** The next byte. */
    readByte(): number;
    /** Fills a part of a buffer. */
    read(target: Uint8Array, offset: number, count: number): number;
    eof(): boolean;
  }
  const Bunzip: { decode(input: Input, output: { writeByte(byte: number): void }, severalStreams: boolean): void };
  export = Bunzip;
}

/** The part of xz-decompress that is used here; its own types need those of a browser. */
declare module 'xz-decompress' {
  const xz: {
    XzReadableStream: new (packed: import('node:stream/web').ReadableStream<Uint8Array>) => AsyncIterable<Uint8Array>;
  };
  export = xz;
}
