// Whether the classes of the CommonJS modules recognize an error of the ES modules, and the other way around.
import { createRequire } from 'node:module';
import * as modules from '@petstore/client';

const commonJs = createRequire(import.meta.url)('@petstore/client');
const [baseUrl] = process.argv.slice(2);

async function isKnown(one, other) {
  const store = one.petstore({ baseUrl, apiKey: 'k', on: { deprecated: false } });
  const { error } = await store.getPet({ petId: 1_000_000 }).outcome();
  return error instanceof other.NotFoundError && error instanceof other.PetstoreError;
}

console.log(JSON.stringify([await isKnown(modules, commonJs), await isKnown(commonJs, modules)]));
