import { type NewPet, operations, type Pet } from '@petstore/types';

/** The new animal under its identifier. Its status comes last, which is where `statusOf` looks for it. */
export function animal(id: number, { status, ...rest }: NewPet): Pet {
  return { id, ...rest, ...(status !== undefined && { status }) };
}

/** An animal as it is kept, on disk and in memory. */
export function textOf({ id, ...rest }: Pet): string {
  return JSON.stringify(animal(id, rest));
}

const choices: readonly string[] = operations.listPets.fields.status.schema.enum;
const endings = choices.map((choice) => Buffer.from(`,"status":"${choice}"}`));
const quote = 0x22;

/** The number that stands for a status, 0 for none. */
export function statusNumber(status: string): number {
  return choices.indexOf(status) + 1;
}

export const statusNumbers = choices.length + 1;

/** The status number of the animal whose text ends before `end`. Opening a large store calls this for each of its animals. */
export function statusOf(bytes: Uint8Array, end: number): number {
  if (bytes[end - 2] !== quote) return 0;
  for (const [index, ending] of endings.entries()) {
    if (endsWith(bytes, end, ending)) return index + 1;
  }
  return 0;
}

function endsWith(bytes: Uint8Array, end: number, ending: Uint8Array): boolean {
  for (let back = 1; back <= ending.length; back++) {
    if (bytes[end - back] !== ending[ending.length - back]) return false;
  }
  return true;
}
