const address = new URL('docs/openapi.json', document.baseURI);
const spec = await fetch(address).then((response) => response.json());

// What is tried out goes to the server that the page came from, wherever that is.
for (const server of spec.servers) server.url = new URL(server.url, address).href;

// Swagger UI has a dark side, but turns to it only by a class.
const night = matchMedia('(prefers-color-scheme: dark)');
const dress = () => document.documentElement.classList.toggle('dark-mode', night.matches);
night.addEventListener('change', dress);
dress();

window.SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  showCommonExtensions: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
