// What index.html does: lists animals page by page as they come, adds one, and says what went wrong.
import { ConnectionError, petstore, UnauthorizedError } from '@petstore/client';

/** @typedef {import('@petstore/client').NewPet} NewPet */
/** @typedef {NonNullable<NewPet['status']>} Status */

const where = form('where');
const add = form('add');
const list = element('ul');
const said = element('[role=status]');

where.addEventListener('submit', (event) => run(event, showAnimals));
add.addEventListener('submit', (event) => run(event, addAnimal));

/** Says how something ended. @param {Event} event @param {() => Promise<string>} work */
async function run(event, work) {
  event.preventDefault();
  said.textContent = 'Wait…';
  said.textContent = await work().catch(inWords);
}

async function showAnimals() {
  list.replaceChildren();
  for await (const pet of service().listPets({ status: status(), limit: 100 })) {
    const item = document.createElement('li');
    // As text, never as HTML: a name may be anything.
    item.textContent = `${pet.id} ${pet.name}`;
    list.append(item);
  }
  return `${list.childElementCount} ${status()}`;
}

async function addAnimal() {
  const fields = new FormData(add);
  const pet = { name: String(fields.get('name')), categoryId: Number(fields.get('categoryId')), status: status() };
  const { id } = await service().createPet(pet);
  await showAnimals();
  return `Added ${id}`;
}

/** The key stays in its field: it is kept nowhere. */
function service() {
  const fields = new FormData(where);
  return petstore({ baseUrl: String(fields.get('baseUrl')), apiKey: String(fields.get('apiKey')) });
}

function status() {
  return /** @type {Status} */ (new FormData(where).get('status'));
}

/** @param {unknown} error */
function inWords(error) {
  if (error instanceof UnauthorizedError) return 'The service does not take this key.';
  // A browser does not tell a page which of these it was.
  if (error instanceof ConnectionError) return 'The service cannot be reached, or does not let this page call it.';
  return String(error);
}

/** @param {string} id */
function form(id) {
  return /** @type {HTMLFormElement} */ (element(`#${id}`));
}

/** @param {string} selector */
function element(selector) {
  const found = document.querySelector(selector);
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
}
