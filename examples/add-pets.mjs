// Adds a pet for each line of a file (name,categoryId or name,categoryId,status), then lists all sold pets.
//
//   PETSTORE_API_KEY='pk_…' node add-pets.mjs pets.csv
//
// Needs @petstore/client (its README says how to install it) and Node 22 or later. Set PETSTORE_BASE_URL for a service on
// another machine.
// Exit code: 0 all added, 1 some lines skipped, 2 stopped; the last line on stderr gives the reason.
// For names with commas, or thousands of lines, use `petctl pets import`.
import { readFile } from 'node:fs/promises';
import { petstore, ResponseError } from '@petstore/client';

/** @typedef {import('@petstore/client').NewPet} NewPet */

// Handles all other errors: the file cannot be read, or the list fails.
process.on('uncaughtException', stop);

const [file] = process.argv.slice(2);
if (!file) stop('Name a file: node add-pets.mjs pets.csv');
if (!process.env.PETSTORE_API_KEY) stop('Set PETSTORE_API_KEY to your API key.');
const lines = (await readFile(file, 'utf8')).split('\n');
const store = petstore();

for (const [index, line] of lines.entries()) {
  if (line.trim() === '') continue;
  const location = `${file}:${index + 1}`;
  const pet = petIn(line);
  if (!pet) {
    skip(`${location}: expected name,categoryId or name,categoryId,status`);
    continue;
  }
  // outcome() returns an error as a value. Without outcome(), `await` throws the error.
  const outcome = await store.createPet(pet).outcome();
  if (outcome.ok) {
    console.log(`added ${outcome.data.id} ${outcome.data.name}`);
    continue;
  }
  const { error } = outcome;
  const code = error instanceof ResponseError ? error.code : undefined;
  switch (code) {
    case 'invalid_request': // Only this line is invalid.
      skip(`${location}: ${error.message}`);
      break;
    case 'unauthorized':
      stop('The service rejected the key. Set another key in PETSTORE_API_KEY.');
      break;
    default:
      // The client has already retried. The service may have added this pet: check before you add it again.
      stop(`${location}: ${error.name}: ${error.message}. No later line was added.`);
  }
}

// The client requests the next page while the loop reads the current page.
for await (const pet of store.listPets({ status: 'sold' })) {
  console.log(`sold ${pet.id} ${pet.name}`);
}

/** @param {string} line */
function petIn(line) {
  const [name = '', categoryId = '', status = '', ...more] = line
    .split(',')
    .map((part) => part.trim());
  if (!/^-?\d+$/.test(categoryId) || more.length > 0) return undefined;
  // The service validates the status.
  const optional =
    status === '' ? {} : { status: /** @type {NewPet['status'] & string} */ (status) };
  const number = Number(categoryId);
  // The service validates the range. A number would round a larger integer.
  return {
    name,
    categoryId: Number.isSafeInteger(number) ? number : BigInt(categoryId),
    ...optional,
  };
}

/** @param {string} problem */
function skip(problem) {
  console.error(problem);
  process.exitCode = 1;
}

/** @param {unknown} problem @returns {never} */
function stop(problem) {
  console.error(String(problem));
  process.exit(2);
}
