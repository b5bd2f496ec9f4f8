// Adds the animals of a file, a line for each: name,categoryId or name,categoryId,status. Then lists all that are sold.
//
//   npm install @petstore/client
//   PETSTORE_API_KEY='pk_…' node add-animals.mjs animals.csv
//
// PETSTORE_BASE_URL says where the service is, if not on this machine. Runs on Node from 20 on.
// Exit code: 0 all were added, 1 some were not, 2 it had to stop: the last line on stderr says why.
// Names with commas, or thousands of lines? `petctl pets import` does that.
import { readFile } from 'node:fs/promises';
import { petstore } from '@petstore/client';

/** @typedef {import('@petstore/client').NewPet} NewPet */

const [file] = process.argv.slice(2);
if (!file) stop('Which file? node add-animals.mjs animals.csv');
const lines = (await readFile(file, 'utf8')).split('\n');
const store = petstore();

for (const [index, line] of lines.entries()) {
  if (line.trim() === '') continue;
  const place = `${file}:${index + 1}`;
  const pet = animalIn(line);
  if (!pet) {
    skip(`${place}: this is not name,categoryId or name,categoryId,status`);
    continue;
  }
  // How the call ended comes back as a value. Awaited without outcome(), it would throw the same error.
  const outcome = await store.createPet(pet).outcome();
  if (outcome.ok) {
    console.log(`added ${outcome.data.id} ${outcome.data.name}`);
    continue;
  }
  const { error } = outcome;
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'invalid_request': // This line is at fault; the next one may be right.
      skip(`${place}: ${error.message}`);
      break;
    case 'unauthorized':
      stop('The service does not take the key in PETSTORE_API_KEY.');
      break;
    default:
      // The client has tried again as often as that was safe. It may have been added: look before it is added again.
      stop(`${place}: ${error.name}: ${error.message}. Nothing behind this line was added.`);
  }
}

// The pages are asked for one after the other, while the ones before are used up.
for await (const pet of store.listPets({ status: 'sold', limit: 100 })) {
  console.log(`sold ${pet.id} ${pet.name}`);
}

/** @param {string} line */
function animalIn(line) {
  const [name = '', categoryId = '', status = '', ...more] = line.split(',').map((part) => part.trim());
  if (!/^-?\d{1,15}$/.test(categoryId) || more.length > 0) return undefined;
  // The service says what a status may be, and refuses any other.
  const given = status === '' ? {} : { status: /** @type {NewPet['status'] & string} */ (status) };
  return { name, categoryId: Number(categoryId), ...given };
}

/** @param {string} problem */
function skip(problem) {
  console.error(problem);
  process.exitCode = 1;
}

/** @param {string} problem @returns {never} */
function stop(problem) {
  console.error(problem);
  process.exit(2);
}
