import type { ChildProcess } from 'node:child_process';
import { end, inRepository, nextMessage, run, type Server } from '../process.ts';
import { apiKey, type Load } from './loads.ts';

/** The instructions for the load generator's process. */
export interface Order {
  /** The placeholder in a request text that a key of the same length replaces, another one in each request. */
  keyPlace: string;
  port: number;
  requests: string[];
  status: number;
  connections: number;
  milliseconds: number;
}

/** What the load generator measured; latencies in milliseconds. */
export interface Result {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/** A result with what it cost the server. */
export interface Measured extends Result {
  /** Microseconds of CPU time that the server's process used for each answer. */
  cpu: number;
  /** The same without the time in the system, which is what the program itself costs. */
  user: number;
}

/** The number of concurrent connections. */
export const connections = 64;

/** A load generator. */
export interface Generator {
  readonly name: string;
  /** Sends the requests of a load to a server for `milliseconds`. */
  run(server: Server, load: Load, milliseconds: number): Promise<Measured>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const child = run('load', { script: inRepository('tools/bench/http/generator.ts') });
  child.stderr?.pipe(process.stderr);
  return {
    name: 'ours',
    run: (server, load, milliseconds) => runLoad(child, server, load, milliseconds),
    stop: () => end(child),
  };
}

async function runLoad(child: ChildProcess, server: Server, load: Load, milliseconds: number): Promise<Measured> {
  const order: Order = {
    keyPlace,
    port: server.port,
    requests: requestsOf(load),
    status: load.status,
    connections,
    milliseconds,
  };
  await requestReply(child, order);
  const measured = await withCost(server, () => requestReply<Result>(child, 'go'));
  child.send('close');
  return measured;
}

/** Runs a load and adds the CPU time that it cost the server. */
export async function withCost(server: Server, load: () => Promise<Result>): Promise<Measured> {
  const before = await server.usage();
  const result = await load();
  const after = await server.usage();
  const each = (what: 'cpu' | 'user') => (after[what] - before[what]) / result.answered;
  return { ...result, cpu: each('cpu'), user: each('user') };
}

async function requestReply<T>(child: ChildProcess, message: Order | 'go'): Promise<T> {
  const pending = nextMessage<T | { error: string }>(child, 60_000);
  child.send(message);
  const reply = await pending;
  if (typeof reply === 'object' && reply !== null && 'error' in reply) throw new Error(reply.error);
  return reply as T;
}

/** Throws if a server's response to the first request of a load is wrong. */
export async function checkAnswer(server: Server, load: Load, right: Parameters<Load['check']>[1]) {
  const [target = ''] = load.targets;
  const response = await fetch(`http://127.0.0.1:${server.port}${target}`, {
    method: load.method,
    headers: { authorization: `Bearer ${apiKey}`, ...(load.body && { 'content-type': 'application/json' }) },
    ...(load.body && { body: JSON.stringify(load.body) }),
  });
  const text = await response.text();
  if (response.status !== load.status) throw new Error(`${load.name}: the response is ${response.status}: ${text}`);
  load.check(JSON.parse(text), right);
}

/** The placeholder for a key, as long as a UUID. */
export const keyPlace = 'k'.repeat(36);

/** The requests of a load as HTTP text. */
export function requestsOf(load: Load): string[] {
  return load.targets.map((target) => requestOf(load, target));
}

function requestOf({ method, body, keyHeader }: Load, target: string): string {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${apiKey}`];
  if (keyHeader) lines.push(`${keyHeader}: ${keyPlace}`);
  const text = body ? JSON.stringify(body) : '';
  if (body) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
