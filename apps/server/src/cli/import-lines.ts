import type { Readable } from 'node:stream';
import { type Field, operations } from '@petstore/types';
import { decodeText } from '../store/document.ts';
import { ImportError, type ImportedPet } from './import-animals.ts';

/** A batch takes no further animal once it has so many, or so much text. */
const enough = { animals: 1000, text: 2 ** 21 };

const fields: Readonly<Record<string, Field>> = operations.createPet.fields;
const { maximum } = operations.getPet.fields.petId.schema;

/** The animals of JSON Lines, in batches. Stops at the first line that is none. */
export async function* animalsIn(input: Readable): AsyncGenerator<ImportedPet[]> {
  let batch: ImportedPet[] = [];
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

function petIn(line: string): ImportedPet | undefined {
  let value: unknown;
  try {
    value = decodeText(line);
  } catch {
    return undefined;
  }
  return isPet(value) ? value : undefined;
}

/** Whether it has an identifier, and else what a new animal may have, by the spec. */
function isPet(value: unknown): value is ImportedPet {
  if (typeof value !== 'object' || value === null) return false;
  const { id, ...properties }: Record<string, unknown> = { ...value };
  const isComplete = Object.entries(fields).every(([name, field]) => !field.required || name in properties);
  const isKnown = ([name, property]: [string, unknown]) =>
    Object.hasOwn(fields, name) && fits(fields[name] as Field, property);
  return isInteger(id, 1, maximum) && isComplete && Object.entries(properties).every(isKnown);
}

function fits({ schema: { type, enum: values, minimum, maximum } }: Field, value: unknown): boolean {
  if (values && !values.some((one) => one === value)) return false;
  if (type === 'integer')
    return isInteger(value, minimum ?? Number.MIN_SAFE_INTEGER, maximum ?? Number.MAX_SAFE_INTEGER);
  return typeof value === type && (typeof value !== 'string' || value.isWellFormed());
}

const isInteger = (value: unknown, minimum: number, maximum: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
