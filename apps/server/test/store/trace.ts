import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { writersFile } from './start-writers.ts';

/** A system call that succeeded. Calls of several threads overlap: one is over before another begins if `end` < `start`. */
export interface Call {
  name: string;
  start: number;
  end: number;
  /** The files it names, below the traced folder; '' is the folder itself. */
  paths: string[];
  /** The descriptor it works on. */
  descriptor: number | undefined;
  /** The text between its parentheses. */
  args: string;
  /** The bytes that it writes, as latin1. */
  text: string;
}

/** Delays the end of each write of a commit, so that a call that does not wait for it begins before this end. */
const slow = 'inject=pwrite64:delay_exit=3000';
const traced = 'openat,mkdir,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink';

/** The reason why this machine cannot trace, and the Debian package that is missing. Empty if it can. */
export function untraceable(): { reason?: string; install?: string } {
  const { error, status, stderr } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (error) return { reason: 'strace does not run here', install: 'strace' };
  return status === 0 ? {} : { reason: `strace cannot trace here (${stderr.trim()})` };
}

/** Runs writers.ts over a store in `<folder>/data` and returns its system calls, in the order in which they ended. */
export async function traceWriters(folder: string, writers: number, writes: number): Promise<Call[]> {
  const log = join(folder, 'trace');
  const command = [process.execPath, writersFile, join(folder, 'data'), 'traced', String(writers), String(writes)];
  const flags = ['-f', '-y', '-s', '9999999', '-e', `trace=${traced}`, '-e', slow, '-o', log];
  await promisify(execFile)('strace', [...flags, ...command], { maxBuffer: 2 ** 28 });
  return calls(readFileSync(log, 'latin1'), folder);
}

function calls(log: string, folder: string): Call[] {
  const begun = new Map<string, { start: number; text: string }>();
  const found: Call[] = [];
  for (const [at, line] of log.split('\n').entries()) {
    const [, process = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest);
    if (unfinished) {
      begun.set(process, { start: at, text: unfinished[1] ?? '' });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const start = resumed ? (begun.get(process)?.start ?? at) : at;
    const text = resumed ? `${begun.get(process)?.text}${resumed[1]}` : rest;
    const [, name, args, result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(text) ?? [];
    if (name === undefined || args === undefined || Number(result) < 0) continue;
    found.push({ name, start, end: at, args, ...parts(name, args, folder) });
  }
  return found;
}

function parts(name: string, args: string, folder: string): Pick<Call, 'paths' | 'descriptor' | 'text'> {
  const strings = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => unescaped(text ?? ''));
  const [, descriptor, file] = /^(\d+)<([^>]*)>/.exec(args) ?? [];
  const named = file === undefined ? strings : [file];
  const inside = named.filter((path) => path === folder || path.startsWith(`${folder}/`));
  return {
    paths: inside.map((path) => relative(folder, path)),
    descriptor: descriptor === undefined ? undefined : Number(descriptor),
    text: /write/.test(name) ? (strings[0] ?? '') : '',
  };
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
  );
}

/** The lines that the process printed, each with the call that printed it. */
export function printed(calls: readonly Call[]): { line: string; call: Call }[] {
  const all = calls.filter(({ name, descriptor }) => name === 'write' && descriptor === 1);
  return all.map((call) => ({ line: call.text.trimEnd(), call }));
}
