import type { ChildProcess } from 'node:child_process';
import { end, inRepository, nextMessage, run, type Server } from '../process.ts';
import { apiKey, type Load } from './loads.ts';

/** What the process that makes the load is told to do. */
export interface Order {
  /** What stands in a request where each has another key, of the same length. */
  keyPlace: string;
  port: number;
  requests: string[];
  status: number;
  connections: number;
  milliseconds: number;
}

/** What it has seen; latencies are in milliseconds. */
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

/** How many connections ask at the same time. */
export const connections = 64;

/** The process that makes the load. */
export interface Generator {
  readonly name: string;
  /** Asks a server over and over for so many milliseconds. */
  ask(server: Server, load: Load, milliseconds: number): Promise<Measured>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const child = run('load', { script: inRepository('tools/bench/http/generator.ts') });
  child.stderr?.pipe(process.stderr);
  return {
    name: 'ours',
    ask: (server, load, milliseconds) => ask(child, server, load, milliseconds),
    stop: () => end(child),
  };
}

async function ask(child: ChildProcess, server: Server, load: Load, milliseconds: number): Promise<Measured> {
  const order: Order = {
    keyPlace,
    port: server.port,
    requests: requestsOf(load),
    status: load.status,
    connections,
    milliseconds,
  };
  await answer(child, order);
  const measured = await withCost(server, () => answer<Result>(child, 'go'));
  child.send('close');
  return measured;
}

/** Measures what a load has seen, and what it cost the server. */
export async function withCost(server: Server, load: () => Promise<Result>): Promise<Measured> {
  const before = await server.usage();
  const result = await load();
  const after = await server.usage();
  const each = (what: 'cpu' | 'user') => (after[what] - before[what]) / result.answered;
  return { ...result, cpu: each('cpu'), user: each('user') };
}

async function answer<T>(child: ChildProcess, message: Order | 'go'): Promise<T> {
  const answered = nextMessage<T | { error: string }>(child, 60_000);
  child.send(message);
  const said = await answered;
  if (typeof said === 'object' && said !== null && 'error' in said) throw new Error(said.error);
  return said as T;
}

/** Throws where a server does not answer what it is asked for. */
export async function checkAnswer(server: Server, load: Load, right: Parameters<Load['check']>[1]) {
  const [target = ''] = load.targets;
  const response = await fetch(`http://127.0.0.1:${server.port}${target}`, {
    method: load.method,
    headers: { authorization: `Bearer ${apiKey}`, ...(load.body && { 'content-type': 'application/json' }) },
    ...(load.body && { body: JSON.stringify(load.body) }),
  });
  const text = await response.text();
  if (response.status !== load.status) throw new Error(`${load.name}: it answered ${response.status}: ${text}`);
  load.check(JSON.parse(text), right);
}

/** As long as a UUID. A generator puts another key there for each request. */
export const keyPlace = 'k'.repeat(36);

/** The requests of a load, as they are sent. */
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
