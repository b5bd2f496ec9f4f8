import type { Readable } from 'node:stream';
import { operations, type Pet } from '@petstore/types';
import { ImportError } from './import-animals.ts';

/** A batch takes no further animal once it has so many, or so much text. */
const enough = { animals: 1000, text: 2 ** 21 };

const { categoryId, status } = operations.createPet.fields;
const { maximum } = operations.getPet.fields.petId.schema;
const statuses: readonly unknown[] = status.schema.enum;

/** The animals of JSON Lines, in batches. Stops at the first line that is none. */
export async function* animalsIn(input: Readable): AsyncGenerator<Pet[]> {
  let batch: Pet[] = [];
  let text = 0;
  let number = 0;
  let last = 0;
  for await (const line of linesOf(input)) {
    number++;
    const pet = petIn(line);
    if (!pet) throw new ImportError(`Line ${number} is no animal of an export.`);
    if (pet.id <= last) throw new ImportError(`Line ${number}: the animal ${pet.id} stands behind ${last}.`);
    last = pet.id;
    batch.push(pet);
    text += line.length;
    if (batch.length < enough.animals && text < enough.text) continue;
    yield batch;
    batch = [];
    text = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Lines end with a line feed alone; Node's readline would also end them at separators that may stand in a name. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function petIn(line: string): Pet | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isPet(value) ? value : undefined;
}

function isPet(value: unknown): value is Pet {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, categoryId: category, status: given, ...others }: Record<string, unknown> = { ...value };
  return (
    isInteger(id, 1, maximum) &&
    typeof name === 'string' &&
    name.isWellFormed() &&
    !name.includes('\0') &&
    isInteger(category, categoryId.schema.minimum, categoryId.schema.maximum) &&
    (given === undefined || statuses.includes(given)) &&
    Object.keys(others).length === 0
  );
}

const isInteger = (value: unknown, minimum: number, maximum: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
