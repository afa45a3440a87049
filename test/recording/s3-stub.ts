import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative, sep } from 'node:path';

/** Keys of one listing: few, so that listings go over several pages. */
const PAGE = 4;
const BUCKET = 'desk-data';
const PREFIX = 'team-a/catalogue';

export const KEY = { AWS_ACCESS_KEY_ID: 'READER', AWS_SECRET_ACCESS_KEY: 'reader/secret+1', AWS_REGION: 'eu-central-1' } as const;

/**
 * Storage that speaks as much of S3 as reading takes, by Amazon's API reference: ListObjectsV2 in pages, HEAD, GET with ranges, and the
 * signature of version 4 checked to the last byte. The folder it is made of is the bucket below its prefix.
 */
export class S3Stub {
  readonly url = `s3://${BUCKET}/${PREFIX}`;
  /** The same for every file unless it is set: a key of a cache must not hang on it. */
  modified = new Date('2025-06-01T00:00:00Z');
  /** Answered to every request in place of anything else. */
  status: number | undefined;
  /** Of the requests for files, method, key and range. */
  readonly asked: string[] = [];
  readonly #folder: string;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the endpoint. */
  async start(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url!, 'http://stub');
    const [bucket, ...key] = decodeURIComponent(url.pathname).slice(1).split('/');
    if (this.status !== undefined) refuse(response, this.status, 'InternalError');
    else if (!isSigned(request)) refuse(response, 403, 'SignatureDoesNotMatch');
    else if (bucket !== BUCKET) refuse(response, 404, 'NoSuchBucket');
    else if (url.searchParams.get('list-type') === '2') this.#list(url.searchParams, response);
    else if (!existsSync(this.#path(key.join('/')))) refuse(response, 404, 'NoSuchKey');
    else this.#file(request, key.join('/'), response);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = this.#keys().filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.slice(0, PAGE);
    const contents = page.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${this.modified.toISOString()}</LastModified><ETag>&quot;0&quot;</ETag><Size>${statSync(this.#path(key)).size}</Size></Contents>`,
    );
    const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${BUCKET}</Name><EncodingType>url</EncodingType><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  #file(request: IncomingMessage, key: string, response: ServerResponse): void {
    this.asked.push(`${request.method} ${key} ${request.headers.range ?? ''}`.trim());
    const bytes = readFileSync(this.#path(key));
    const headers = {
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      'last-modified': this.modified.toUTCString(),
      'accept-ranges': 'bytes',
    };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range === null) {
      response.writeHead(200, { ...headers, 'content-length': bytes.length });
      response.end(request.method === 'HEAD' ? undefined : bytes);
      return;
    }
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { ...headers, 'content-length': to - from + 1, 'content-range': `bytes ${from}-${to}/${bytes.length}` });
    response.end(bytes.subarray(from, to + 1));
  }

  #keys(): string[] {
    const entries = readdirSync(this.#folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => relative(this.#folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
    return paths.map((path) => `${PREFIX}/${path}`).sort();
  }

  #path(key: string): string {
    return join(this.#folder, key.slice(PREFIX.length + 1));
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

/** AWS Signature Version 4, in the header, by the steps of its description. */
function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const said = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  );
  if (said === null || said[1] !== KEY.AWS_ACCESS_KEY_ID) return false;
  const [, , scope, names, signature] = said as unknown as [string, string, string, string, string];
  const [path = '', query = ''] = url!.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${KEY.AWS_SECRET_ACCESS_KEY}`);
  return scope.split('/')[1] === KEY.AWS_REGION && hmac(key, text).toString('hex') === signature;
}
