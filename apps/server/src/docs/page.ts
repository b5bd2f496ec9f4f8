import { service } from '@petstore/types';

const text = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The HTML of the docs page. `start.js` loads the spec into it. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${text(service.summary)}">
<title>${text(service.title)} ${text(service.version)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/look.css">
<script defer src="docs/swagger-ui.js"></script>
<script type="module" src="docs/start.js"></script>
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript. The interface is also described by the files below.</noscript></main>
<footer>The interface as a file: <a href="openapi.yaml">openapi.yaml</a> · <a href="openapi.json">openapi.json</a></footer>
</body>
</html>
`;
