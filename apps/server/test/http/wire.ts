import { connect, type Socket } from 'node:net';

/** A response as it came over the wire, behind others on the same connection. */
export interface WireResponse {
  status: number;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: string;
}

/** A connection that sends bytes as they are, and reads only while it is told to. */
export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** The responses so far. */
  responses(): WireResponse[];
  /** Resolves when so many responses have come, or the server has ended the connection. */
  until(count: number): Promise<WireResponse[]>;
  /** Resolves with all responses when the server has ended the connection. */
  ended(): Promise<WireResponse[]>;
}

/** With `isHead`, responses have no body whatever their length says. */
export function openWire(origin: string, { reads = true, halfOpen = false, isHead = false } = {}): Wire {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: halfOpen });
  const unparsed = { chunks: [] as Buffer[], length: 0, needed: 0 };
  const found: WireResponse[] = [];
  let isClosed = false;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  if (reads) {
    socket.on('data', (chunk: Buffer) => {
      unparsed.chunks.push(chunk);
      unparsed.length += chunk.length;
      // Large responses come in many chunks, which are put together once.
      if (unparsed.length < unparsed.needed) return;
      const { rest, needed } = takeResponses(Buffer.concat(unparsed.chunks), isHead, found);
      Object.assign(unparsed, { chunks: [rest], length: rest.length, needed });
      notify();
    });
  } else {
    socket.pause();
  }
  // A reset is an end like any other; what had come before it counts.
  socket.on('error', () => {});
  const end = () => {
    isClosed = true;
    notify();
  };
  socket.on('end', end).on('close', end);
  const when = (condition: () => boolean) =>
    new Promise<WireResponse[]>((resolve) => {
      const check = () => {
        if (!condition()) return;
        watchers.delete(check);
        resolve(found);
      };
      watchers.add(check);
      check();
    });
  return {
    socket,
    send: (text) => void socket.write(text),
    responses: () => found,
    until: (count) => when(() => isClosed || found.length >= count),
    ended: () => when(() => isClosed),
  };
}

/** Takes whole responses off the beginning of the bytes; returns the rest, and how many bytes the next response has at least. */
function takeResponses(bytes: Buffer, isHead: boolean, found: WireResponse[]): { rest: Buffer; needed: number } {
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return { rest: bytes.subarray(at), needed: 0 };
    const [line = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const headers = new Map(
      lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
    );
    const length = isHead ? 0 : Number(headers.get('content-length') ?? 0);
    const start = end + 4;
    if (bytes.length < start + length) return { rest: bytes.subarray(at), needed: start + length - at };
    const status = Number(line.split(' ')[1]);
    if (status >= 200) found.push({ status, headers, body: bytes.toString('utf8', start, start + length) });
    at = start + length;
  }
}
