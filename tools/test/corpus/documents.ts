import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A public document of the corpus; it comes with an npm package, whose licence covers it. */
export interface PublicDocument {
  name: string;
  file: string;
  package: string;
  licence: string;
  licenceText: string;
  /** Read in the deep run only. */
  isLarge: boolean;
}

const README = { package: '@readme/oas-examples', licence: 'LICENSE.md' };
const SCALAR = { package: '@scalar/galaxy', licence: 'LICENSE' };
/** Of 2021: later versions are many times as large. */
const OCTOKIT = { package: '@octokit/openapi', licence: 'LICENSE' };

/** `train-travel` of the same package is under CC-BY-NC-SA and therefore not used. */
const FILES: [name: string, from: typeof README, path: string][] = [
  ['swagger-petstore', README, '3.0/json/petstore.json'],
  ['swagger-petstore-3.1', README, '3.1/json/petstore.json'],
  ['petstore-expanded', README, '3.0/json/petstore-expanded.json'],
  ['petstore-simple-no-tags', README, '3.0/json/petstore-simple-no-tags.json'],
  ['uspto', README, '3.0/json/uspto.json'],
  ['link-example', README, '3.0/json/link-example.json'],
  ['callbacks', README, '3.0/json/callbacks.json'],
  ['webhooks', README, '3.1/json/webhooks.json'],
  ['parameters-style', README, '3.1/json/parameters-style.json'],
  ['parameters-cookies', README, '3.0/json/parameters-cookies.json'],
  ['file-uploads', README, '3.0/json/file-uploads.json'],
  ['encoding-style', README, '3.1/json/schema-encoding-style.json'],
  ['discriminators', README, '3.0/json/discriminators.json'],
  ['request-examples', README, '3.0/json/request-examples.json'],
  ['response-multiple-mediatypes', README, '3.0/json/response-multiple-mediatypes.json'],
  ['security', README, '3.1/json/security.json'],
  ['security-multiple', README, '3.0/json/security-multiple.json'],
  ['server-path-level', README, '3.0/json/server-path-level.json'],
  ['server-variables', README, '3.0/json/server-variables.json'],
  ['readme-legacy', README, '3.0/json/readme-legacy.json'],
  ['scalar-galaxy', SCALAR, 'dist/3.1.json'],
];

const LARGE_FILES: typeof FILES = [
  ['readme', README, '3.1/json/readme.json'],
  ['star-trek', README, '3.0/json/star-trek.json'],
  ['github', OCTOKIT, 'generated/api.github.com.json'],
];

export const publicDocuments: PublicDocument[] = [
  ...FILES.map((file) => describe(...file, false)),
  ...LARGE_FILES.map((file) => describe(...file, true)),
];

/** Operations of public documents whose requests OpenAPI does not define. */
export const unjudged: Record<string, string[]> = {
  // Exploded lists in cookies, paths with a fragment, and deepObject with a list.
  'parameters-style': [
    'cookies_standard',
    'cookies_form_nonExploded',
    'cookies_form_exploded',
    'form_data_deepObject_exploded',
  ],
};

function describe(name: string, from: typeof README, path: string, isLarge: boolean): PublicDocument {
  const folder = join(import.meta.dirname, '../../node_modules', from.package);
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license: string };
  const licenceText = readFileSync(join(folder, from.licence), 'utf8');
  return { name, file: join(folder, path), package: from.package, licence: license, licenceText, isLarge };
}
