import { crc32 } from 'node:zlib';
import type { Pet } from '@petstore/types';
import { textOf } from './animal.ts';

const opening = Buffer.from('{"crc32":');
const newline = 0x0a;

/** The line of an open segment that keeps these animals: they are all kept with it, or none is. */
export function commitLine(texts: readonly string[]): Buffer {
  const pets = texts.join(',');
  return Buffer.from(`{"crc32":${crc32(pets)},"pets":[${pets}]}\n`);
}

/** What an open segment's file holds. */
export interface Commits {
  texts: string[];
  /** Where the last good line ends. Behind it is nothing, or what a crash left of a commit nobody was told about. */
  end: number;
}

/** Reads an open segment whose first animal has the identifier `first`, or says what is wrong with it. */
export function readCommits(bytes: Buffer, first: number): Commits | string {
  const texts: string[] = [];
  let end = 0;
  while (end < bytes.length) {
    const stop = bytes.indexOf(newline, end);
    const pets = stop < 0 ? undefined : petsOf(bytes.subarray(end, stop));
    if (!pets) break;
    for (const pet of pets) {
      const expected = first + texts.length;
      if (pet.id !== expected) return `at byte ${end} the animal ${pet.id} stands where ${expected} belongs`;
      texts.push(textOf(pet));
    }
    end = stop + 1;
  }
  // Commits follow one another, so only the last one can be unfinished: a good one behind a bad one means damage.
  if ((end < bytes.length && !isTorn(bytes.subarray(end))) || hasCommit(bytes, end + 1))
    return `the line at byte ${end} is not what was written there`;
  return { texts, end };
}

function petsOf(line: Buffer): Pet[] | undefined {
  const [head, checksum] = /^\{"crc32":(0|[1-9]\d{0,9}),"pets":\[/.exec(line.toString('latin1', 0, 32)) ?? [];
  if (head === undefined || line.toString('latin1', line.length - 2) !== ']}') return undefined;
  const pets = line.subarray(head.length, -2);
  if (pets.length === 0 || crc32(pets) !== Number(checksum)) return undefined;
  return JSON.parse(`[${pets}]`);
}

/** Whether this can be the rest of a commit: it begins like one, or with zeros where the disk knew only of the room for it. */
function isTorn(bytes: Buffer): boolean {
  return bytes[0] === 0 || bytes.subarray(0, opening.length).equals(opening.subarray(0, bytes.length));
}

/** Whether a good commit begins anywhere from here on; inside an animal's text the opening cannot occur. */
function hasCommit(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(opening, from); at >= 0; at = bytes.indexOf(opening, at + 1)) {
    const stop = bytes.indexOf(newline, at);
    if (stop >= 0 && petsOf(bytes.subarray(at, stop))) return true;
  }
  return false;
}
