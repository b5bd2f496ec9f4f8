// Not published. For the tools and tests of this repository: what is published, the Express app, the collections, and the server as a function.

export { createExpressApp, createExpressListener } from './app.ts';
export { collections } from './collections.ts';
export { defaultConfig } from './config/config.ts';
export * from './index.ts';
export { serve } from './serve.ts';
