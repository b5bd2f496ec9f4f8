import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Call } from './trace.ts';

type Node = File | Folder;
type Change<T> = (to: T) => T;

/** The synced state of a file or a folder, and the changes since. */
interface Versions<T> {
  synced: T;
  since: Change<T>[];
}
/** Writes to a durable file are synced when the next call begins. */
type File = Versions<Buffer> & { kind: 'file'; isDurable: boolean };
type Folder = Versions<ReadonlyMap<string, Node>> & { kind: 'folder' };

/** Selects the unsynced changes that survive a power cut. */
export type Survivors = <T>(changes: readonly Change<T>[]) => readonly Change<T>[];

/**
 * A disk that promises no more than POSIX does: any unsynced change may be lost, and names independently of contents. It follows
 * the recorded system calls of a process.
 */
export class DiskModel {
  readonly #root: Folder = newFolder();
  #written: File | undefined;

  follow({ name, paths: [path, to], args, text }: Call): void {
    if (path === undefined) return;
    if (this.#written) sync(this.#written);
    this.#written = undefined;
    if (name === 'mkdir') this.#setEntry(path, newFolder());
    else if (name === 'openat') this.#opened(path, args);
    else if (name === 'pwrite64') this.#write(path, Buffer.from(text, 'latin1'), lastNumber(args));
    else if (name === 'write') this.#write(path, Buffer.from(text, 'latin1'), this.#lengthOf(path));
    else if (name === 'ftruncate') this.#change(path, (bytes) => resized(bytes, lastNumber(args)));
    else if (name === 'fsync' || name === 'fdatasync') sync(this.#at(path));
    else if (name === 'unlink') this.#setEntry(path, undefined);
    else if (name === 'rename' && to !== undefined) this.#rename(path, to);
  }

  /** Writes into a folder what a power cut at this moment would leave. */
  writeAfterPowerCut(folder: string, survivors: Survivors): void {
    writeNode(folder, this.#root, survivors);
  }

  #opened(path: string, args: string) {
    const node = this.#find(path);
    if (args.includes('O_DSYNC') && node?.kind === 'file') node.isDurable = true;
    if (!args.includes('O_CREAT')) return;
    if (!this.#find(path)) this.#setEntry(path, { kind: 'file', isDurable: false, synced: Buffer.alloc(0), since: [] });
    else if (args.includes('O_TRUNC')) this.#change(path, () => Buffer.alloc(0));
  }

  /** A write may be torn: its two halves are separate changes, after a change that only makes the file longer. */
  #write(path: string, bytes: Buffer, position: number) {
    const middle = bytes.length >> 1;
    const node = this.#at(path);
    if (node.kind === 'file' && node.isDurable) this.#written = node;
    this.#change(path, (before) => resized(before, Math.max(before.length, position + bytes.length)));
    this.#change(path, (before) => patched(before, bytes.subarray(0, middle), position));
    this.#change(path, (before) => patched(before, bytes.subarray(middle), position + middle));
  }

  /** Where a write without a position begins: such writes only fill new files. */
  #lengthOf(path: string): number {
    const node = this.#at(path);
    return node.kind === 'file' ? applied(node.synced, node.since).length : 0;
  }

  #rename(from: string, to: string) {
    const node = this.#at(from);
    const [old, next] = [basename(from), basename(to)];
    // Both names are in one folder, and change together or not at all.
    this.#folder(dirname(from)).since.push((names) =>
      new Map([...names].filter(([name]) => name !== old)).set(next, node),
    );
  }

  #setEntry(path: string, node: Node | undefined) {
    const base = basename(path);
    this.#folder(dirname(path)).since.push((names) => {
      const others = new Map([...names].filter(([name]) => name !== base));
      return node ? others.set(base, node) : others;
    });
  }

  #change(path: string, change: Change<Buffer>) {
    const file = this.#at(path);
    if (file.kind === 'file') file.since.push(change);
  }

  #folder(path: string): Folder {
    const node = this.#at(path);
    if (node.kind !== 'folder') throw new Error(`${path} is not a folder`);
    return node;
  }

  #at(path: string): Node {
    const node = this.#find(path);
    if (!node) throw new Error(`${path} does not exist`);
    return node;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
      node = node?.kind === 'folder' ? applied(node.synced, node.since).get(name) : undefined;
    }
    return node;
  }
}

function writeNode(path: string, node: Node, survivors: Survivors) {
  if (node.kind === 'file') return writeFileSync(path, applied(node.synced, survivors(node.since)));
  mkdirSync(path, { recursive: true });
  for (const [name, child] of applied(node.synced, survivors(node.since)))
    writeNode(join(path, name), child, survivors);
}

function newFolder(): Folder {
  return { kind: 'folder', synced: new Map(), since: [] };
}

function sync(node: Node) {
  if (node.kind === 'file') node.synced = applied(node.synced, node.since);
  else node.synced = applied(node.synced, node.since);
  node.since = [];
}

function applied<T>(to: T, changes: readonly Change<T>[]): T {
  return changes.reduce((value, change) => change(value), to);
}

function resized(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes.subarray(0, length), Buffer.alloc(Math.max(0, length - bytes.length))]);
}

function patched(bytes: Buffer, part: Buffer, position: number): Buffer {
  const whole = Buffer.from(resized(bytes, Math.max(bytes.length, position + part.length)));
  part.copy(whole, position);
  return whole;
}

function lastNumber(args: string): number {
  return Number(/(\d+)$/.exec(args)?.[1]);
}
