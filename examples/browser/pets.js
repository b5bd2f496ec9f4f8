// The code of index.html: lists pets page by page, adds one, and shows errors.
import { ConnectionError, petstore, UnauthorizedError } from '@petstore/client';
import { operations } from '@petstore/types';

/** @typedef {import('@petstore/client').NewPet} NewPet */
/** @typedef {NonNullable<NewPet['status']>} Status */

const settings = form('settings');
const add = form('add');
const list = element('ul');
const message = element('[role=status]');

for (const status of operations.listPets.fields.status.schema.enum)
  element('select').append(new Option(status));
settings.addEventListener('submit', (event) => run(event, showPets));
add.addEventListener('submit', (event) => run(event, addPet));

/** Shows the result of an action. @param {Event} event @param {() => Promise<string>} action */
async function run(event, action) {
  event.preventDefault();
  message.textContent = 'Wait…';
  message.textContent = await action().catch(describeError);
}

async function showPets({ store, status } = readSettings()) {
  const items = [];
  for await (const pet of store.listPets({ status })) {
    const item = document.createElement('li');
    // A name is untrusted, so it is set as text and not as HTML.
    item.textContent = `${pet.id} ${pet.name}`;
    items.push(item);
  }
  // Replaces all items at once, so that two lists never mix.
  list.replaceChildren(...items);
  return `${items.length} ${status}`;
}

async function addPet() {
  const fields = new FormData(add);
  const { store, status } = readSettings();
  const pet = {
    name: String(fields.get('name')),
    categoryId: Number(fields.get('categoryId')),
    status,
  };
  const { id } = await store.createPet(pet);
  await showPets({ store, status });
  return `Added ${id}`;
}

/** The settings when an action begins, because the visitor may change them meanwhile. The key stays in its form field; nothing stores it. */
function readSettings() {
  const fields = new FormData(settings);
  const store = petstore({
    baseUrl: String(fields.get('baseUrl')),
    apiKey: String(fields.get('apiKey')),
  });
  return { store, status: /** @type {Status} */ (fields.get('status')) };
}

/** @param {unknown} error */
function describeError(error) {
  if (error instanceof UnauthorizedError)
    return 'The service rejected this key. Enter another key.';
  // A browser hides the reason from the page.
  if (error instanceof ConnectionError)
    return 'The service cannot be reached, or does not allow calls from this page. Check its address and PETSTORE_CORS_ORIGIN.';
  return String(error);
}

/** @param {string} id */
function form(id) {
  return /** @type {HTMLFormElement} */ (element(`#${id}`));
}

/** @param {string} selector */
function element(selector) {
  const match = document.querySelector(selector);
  if (!match) throw new Error(`The page has no ${selector}`);
  return match;
}
