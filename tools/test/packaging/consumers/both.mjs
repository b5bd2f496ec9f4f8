import { createRequire } from 'node:module';
import * as modules from '@petstore/client';

const commonJs = createRequire(import.meta.url)('@petstore/client');
const [baseUrl] = process.argv.slice(2);

const isKnown = (one, other) =>
  one
    .petstore({ baseUrl, apiKey: 'wrong' })
    .listPets()
    .catch((error) => error instanceof other.UnauthorizedError && error instanceof other.PetstoreError);

console.log(JSON.stringify([await isKnown(modules, commonJs), await isKnown(commonJs, modules)]));
