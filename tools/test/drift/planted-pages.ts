import { described, edits, type PlantedDrift, put } from './planting.ts';

/** In the pages, the manifests and the changesets. */
export const plantedInPages: PlantedDrift[] = [
  // The pages.
  ...edits('docs', 'README.md', {
    'a script that is not there': (text) => text.replace('npm start ', 'npm run strat '),
    'a link to nothing': (text) => text.replace('(docs/decisions.md)', '(docs/decision.md)'),
  }),
  ...edits('docs', 'docs/operating.md', {
    'a variable that nothing reads': (text) => text.replace('PETSTORE_BODY_LIMIT', 'PETSTORE_BODY_LIMITS'),
    'a command that is not there': (text) => text.replace('keys create', 'keys make'),
    'a flag that is not there': (text) => text.replace('create --name', 'create --called'),
  }),
  ...edits('docs', 'docs/decisions.md', {
    'an operation that is not there': (text) => `${text}\nUse \`GET /store/orders\`.\n`,
  }),
  ...edits('docs', 'packages/client/README.md', {
    'a function that is not there': (text) => text.replace('store.createPet(', 'store.addPet('),
    'an enum value that is not there': (text) =>
      text.replace("listPets({ status: 'sold' })", "listPets({ status: 'lost' })"),
  }),
  ...edits('docs', 'packages/types/README.md', {
    'an input that is not there': (text) => text.replace('fields.limit', 'fields.size'),
  }),
  ...described('docs', {
    'an enum value that the pages still show': put('    PetStatus:', 'available, pending, sold', 'free, pending, sold'),
  }),

  // Versions.
  ...edits('versions', 'packages/client/package.json', {
    'a package ahead': (text) => text.replace(/"version": ".*"/, '"version": "99.0.0"'),
  }),
  ...edits('versions', 'spec/package.json', {
    'the spec package behind': (text) => text.replace(/"version": ".*"/, '"version": "0.0.1"'),
  }),
  ...edits('versions', '.changeset/config.json', {
    'a package by itself': (text) => text.replace('"petctl", ', ''),
  }),
  ...edits('versions', '.changeset/wrong-name.md', {
    'a changeset for a package that is not there': () => '---\n"petctrl": minor\n---\n\nMore.\n',
  }),
  ...edits('versions', '.changeset/wrong-bump.md', {
    'a changeset of an unknown level': () => '---\n"petctl": huge\n---\n\nMore.\n',
  }),
  ...described('versions', {
    'a version without its packages': put('info:', /version: .*/, 'version: 99.0.0'),
  }),
];
