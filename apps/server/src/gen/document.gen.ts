// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/** The whole spec, with sorted keys. Documentation pages show spec/openapi.yaml, whose keys are in the written order. */
export const openApiDocument: object = {
  "components": {
    "headers": {
      "Allow": {
        "description": "With 405, the methods of the path.",
        "example": "GET, HEAD, POST",
        "schema": {
          "type": "string"
        }
      },
      "Challenge": {
        "description": "How to authenticate (RFC 6750).",
        "example": "Bearer",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Deprecation": {
        "description": "When the operation was deprecated (RFC 9745).",
        "example": "@1795132800",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "IdempotencyReplayed": {
        "description": "Present, as `true`, if the request was executed before and this is its first response.",
        "example": "true",
        "schema": {
          "enum": [
            "true"
          ],
          "type": "string"
        }
      },
      "NextPage": {
        "description": "Present if more may follow. `rel=\"next\"` is the next page (RFC 8288), relative to the request.",
        "example": "<?limit=20&after=20>; rel=\"next\"",
        "schema": {
          "type": "string"
        }
      },
      "RetryAfter": {
        "description": "With 409, 429 and 503, the seconds to wait before a retry.",
        "example": 1,
        "schema": {
          "minimum": 0,
          "type": "integer"
        }
      },
      "Successor": {
        "description": "The operation to use instead, as `rel=\"successor-version\"` (RFC 8288, RFC 5829).",
        "example": "</v1/pets>; rel=\"successor-version\"",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Sunset": {
        "description": "When the operation will be removed (RFC 8594).",
        "example": "Thu, 05 Dec 2030 00:00:00 GMT",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "Version": {
        "description": "The version of the response, if the store knows it. A request with it as `If-None-Match` gets 304 until the response changes (RFC 9110).",
        "example": "\"1c9d44ab-10001\"",
        "schema": {
          "type": "string"
        }
      }
    },
    "parameters": {
      "IdempotencyKey": {
        "description": "Makes the request safe to repeat (draft-ietf-httpapi-idempotency-key-header): for 24 hours, the service executes the same\nrequest with the same key once, and repeats the first response. Use 1 to 255 visible ASCII characters, unique to this\nrequest, for example a UUID. A key in double quotes, with `\"` and `\\` escaped by `\\`, equals the key without them.\n",
        "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
        "in": "header",
        "name": "Idempotency-Key",
        "schema": {
          "pattern": "^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$",
          "type": "string"
        },
        "x-idempotency-key": true
      }
    },
    "responses": {
      "IdempotencyKeyReused": {
        "content": {
          "application/json": {
            "example": {
              "code": "idempotency_key_reused",
              "message": "This Idempotency-Key belongs to another request. Nothing was done. Send this request with another key.",
              "status": 422
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "The `Idempotency-Key` belongs to another request of the last 24 hours. The service has done nothing."
      },
      "InvalidRequest": {
        "content": {
          "application/json": {
            "example": {
              "code": "invalid_request",
              "message": "body 'categoryId': it is missing",
              "status": 400
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "A parameter or the body is malformed, missing required fields, or contains invalid values."
      },
      "NotModified": {
        "description": "The version in `If-None-Match` is still current.",
        "headers": {
          "ETag": {
            "$ref": "#/components/headers/Version"
          }
        }
      },
      "RequestInFlight": {
        "content": {
          "application/json": {
            "example": {
              "code": "request_in_flight",
              "message": "Too many requests with this Idempotency-Key are in progress. Retry later.",
              "status": 409
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "Too many requests with the same `Idempotency-Key` are in progress. Retry later.",
        "headers": {
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        }
      },
      "Unauthorized": {
        "content": {
          "application/json": {
            "example": {
              "code": "unauthorized",
              "message": "The API key is missing or invalid.",
              "status": 401
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "The API key is missing or invalid.",
        "headers": {
          "WWW-Authenticate": {
            "$ref": "#/components/headers/Challenge"
          }
        }
      },
      "UnexpectedError": {
        "content": {
          "application/json": {
            "example": {
              "code": "unavailable",
              "message": "The store cannot be reached. Retry later.",
              "status": 503
            },
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        },
        "description": "Any other error.",
        "headers": {
          "Allow": {
            "$ref": "#/components/headers/Allow"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        }
      }
    },
    "schemas": {
      "CategoryId": {
        "description": "Identifier of the category the animal belongs to.",
        "format": "int64",
        "type": "integer"
      },
      "Error": {
        "additionalProperties": false,
        "description": "The body of every error response.",
        "properties": {
          "code": {
            "$ref": "#/components/schemas/ErrorCode"
          },
          "message": {
            "description": "Human-readable description.",
            "type": "string"
          },
          "status": {
            "description": "The HTTP status code of the response.",
            "maximum": 599,
            "minimum": 400,
            "type": "integer"
          }
        },
        "required": [
          "code",
          "message",
          "status"
        ],
        "type": "object"
      },
      "ErrorCode": {
        "description": "Machine-readable error code. The set is closed:\n\n- `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)\n- `unauthorized`: the API key is missing or invalid (401)\n- `not_found`: there is no such pet, or no such path (404)\n- `method_not_allowed`: the path exists, but not with this method; `Allow` lists its methods (405)\n- `request_in_flight`: too many requests with the same `Idempotency-Key` are in progress; retry after `Retry-After` (409)\n- `payload_too_large`: the body exceeds the server's limit (413)\n- `unsupported_media_type`: the body is not `application/json` (415)\n- `idempotency_key_reused`: the `Idempotency-Key` belongs to another request (422)\n- `rate_limited`: too many requests with this API key; retry after `Retry-After` (429)\n- `internal_error`: a bug or failure of the service (500), or the outcome of a write is unknown (503)\n- `unavailable`: the service cannot handle the request now, and has done nothing; retry after `Retry-After` (503)\n",
        "enum": [
          "invalid_request",
          "unauthorized",
          "not_found",
          "method_not_allowed",
          "request_in_flight",
          "payload_too_large",
          "unsupported_media_type",
          "idempotency_key_reused",
          "rate_limited",
          "internal_error",
          "unavailable"
        ],
        "type": "string",
        "x-statuses": {
          "idempotency_key_reused": 422,
          "internal_error": 500,
          "invalid_request": 400,
          "method_not_allowed": 405,
          "not_found": 404,
          "payload_too_large": 413,
          "rate_limited": 429,
          "request_in_flight": 409,
          "unauthorized": 401,
          "unavailable": 503,
          "unsupported_media_type": 415
        }
      },
      "NewPet": {
        "additionalProperties": false,
        "description": "A pet to add. The service assigns its identifier.",
        "properties": {
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        },
        "required": [
          "name",
          "categoryId"
        ],
        "type": "object"
      },
      "Pet": {
        "additionalProperties": false,
        "description": "A pet of the store.",
        "properties": {
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "id": {
            "$ref": "#/components/schemas/PetId"
          },
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        },
        "required": [
          "id",
          "name",
          "categoryId"
        ],
        "type": "object"
      },
      "PetId": {
        "description": "Unique identifier assigned by the service on creation.",
        "format": "int64",
        "maximum": 9007199254740991,
        "minimum": 1,
        "type": "integer"
      },
      "PetName": {
        "description": "The animal's name.",
        "type": "string"
      },
      "PetStatus": {
        "description": "Availability of the animal.",
        "enum": [
          "available",
          "pending",
          "sold"
        ],
        "type": "string"
      }
    },
    "securitySchemes": {
      "bearer": {
        "description": "The API key as a bearer token: `Authorization: Bearer <API_KEY>`.",
        "scheme": "bearer",
        "type": "http"
      }
    }
  },
  "info": {
    "description": "The service keeps a catalogue of animals (pets) for a store. A client can list them, optionally by status, and add one.\n\nEvery operation needs an API key as a bearer token. Bodies are JSON. Every error response is an Error: its `status` equals\nthe HTTP status, and its `code` is one of a closed set.\n\nThe service rejects anything that this document does not describe: unknown or repeated query parameters, unknown properties of a\nbody, integers in a query that are not decimal digits, malformed Unicode. 64-bit integers are exact, also beyond the range of\nmany JSON parsers. Paths are case-sensitive.\n\nEvery response has these headers, which the operations do not repeat: `X-Request-Id`, the identifier of the request in the\nserver's log, taken from the request if it has one; `X-Content-Type-Options: nosniff`; and, where the server limits the rate of\nrequests, `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).\n",
    "license": {
      "identifier": "MIT",
      "name": "MIT"
    },
    "summary": "A store of animals that can be listed, added and fetched by identifier.",
    "title": "Petstore",
    "version": "1.0.0"
  },
  "openapi": "3.1.0",
  "paths": {
    "/pets": {
      "get": {
        "description": "Returns a page of pets in ascending order of `id`, optionally only those with one status. A page of large pets ends\nbefore `limit`, at about 1 MiB. If more pets may follow, the page has a `Link` header with `rel=\"next\"`.\n",
        "operationId": "listPets",
        "parameters": [
          {
            "description": "Maximum number of animals returned.",
            "example": 50,
            "in": "query",
            "name": "limit",
            "schema": {
              "default": 20,
              "maximum": 100,
              "minimum": 1,
              "type": "integer"
            }
          },
          {
            "description": "Return only pets with this availability status. A pet without a status matches none.",
            "example": "available",
            "in": "query",
            "name": "status",
            "schema": {
              "$ref": "#/components/schemas/PetStatus"
            }
          },
          {
            "description": "Return only pets whose identifier is greater than this one; `0` starts at the beginning.",
            "example": 20,
            "in": "query",
            "name": "after",
            "schema": {
              "format": "int64",
              "maximum": 9007199254740991,
              "minimum": 0,
              "type": "integer"
            }
          }
        ],
        "responses": {
          "200": {
            "content": {
              "application/json": {
                "example": [
                  {
                    "categoryId": 2,
                    "id": 1,
                    "name": "Rex",
                    "status": "available"
                  },
                  {
                    "categoryId": 1,
                    "id": 2,
                    "name": "Tom"
                  }
                ],
                "schema": {
                  "items": {
                    "$ref": "#/components/schemas/Pet"
                  },
                  "type": "array"
                }
              }
            },
            "description": "A page of pets, in ascending order of `id`.",
            "headers": {
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/NextPage"
              }
            }
          },
          "304": {
            "$ref": "#/components/responses/NotModified"
          },
          "400": {
            "$ref": "#/components/responses/InvalidRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "default": {
            "$ref": "#/components/responses/UnexpectedError"
          }
        },
        "summary": "List animals",
        "tags": [
          "pets"
        ],
        "x-pagination": {
          "cursor": "after",
          "key": "id",
          "limit": "limit"
        }
      },
      "post": {
        "description": "Adds a pet and returns it with the identifier that the service assigned. To retry safely, send an `Idempotency-Key`:\nrepeated requests with the same key add one pet.\n",
        "operationId": "createPet",
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "content": {
            "application/json": {
              "example": {
                "categoryId": 2,
                "name": "Rex",
                "status": "available"
              },
              "schema": {
                "$ref": "#/components/schemas/NewPet"
              }
            }
          },
          "description": "The pet to add. The service rejects properties other than the listed ones.",
          "required": true
        },
        "responses": {
          "201": {
            "content": {
              "application/json": {
                "example": {
                  "categoryId": 2,
                  "id": 1,
                  "name": "Rex",
                  "status": "available"
                },
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                }
              }
            },
            "description": "The added animal, including the assigned `id`.",
            "headers": {
              "Idempotency-Replayed": {
                "$ref": "#/components/headers/IdempotencyReplayed"
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/InvalidRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "409": {
            "$ref": "#/components/responses/RequestInFlight"
          },
          "422": {
            "$ref": "#/components/responses/IdempotencyKeyReused"
          },
          "default": {
            "$ref": "#/components/responses/UnexpectedError"
          }
        },
        "summary": "Add an animal",
        "tags": [
          "pets"
        ]
      }
    },
    "/pets/{petId}": {
      "get": {
        "deprecated": true,
        "description": "Returns one pet by its identifier. Use `GET /pets` with the `status` filter instead.",
        "operationId": "getPet",
        "parameters": [
          {
            "description": "Identifier of the animal to retrieve.",
            "example": 1,
            "in": "path",
            "name": "petId",
            "required": true,
            "schema": {
              "$ref": "#/components/schemas/PetId"
            }
          }
        ],
        "responses": {
          "200": {
            "content": {
              "application/json": {
                "example": {
                  "categoryId": 2,
                  "id": 1,
                  "name": "Rex",
                  "status": "available"
                },
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                }
              }
            },
            "description": "The pet.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              }
            }
          },
          "304": {
            "description": "The version in `If-None-Match` is still current.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              }
            }
          },
          "401": {
            "content": {
              "application/json": {
                "example": {
                  "code": "unauthorized",
                  "message": "The API key is missing or invalid.",
                  "status": 401
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "The API key is missing or invalid.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "WWW-Authenticate": {
                "$ref": "#/components/headers/Challenge"
              }
            }
          },
          "404": {
            "content": {
              "application/json": {
                "example": {
                  "code": "not_found",
                  "message": "There is no pet with the identifier 7.",
                  "status": 404
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "The requested animal could not be found, or no pet can have this `petId`.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              }
            }
          },
          "default": {
            "content": {
              "application/json": {
                "example": {
                  "code": "unavailable",
                  "message": "The store cannot be reached. Retry later.",
                  "status": 503
                },
                "schema": {
                  "$ref": "#/components/schemas/Error"
                }
              }
            },
            "description": "Any other error.",
            "headers": {
              "Allow": {
                "$ref": "#/components/headers/Allow"
              },
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "Retry-After": {
                "$ref": "#/components/headers/RetryAfter"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              }
            }
          }
        },
        "summary": "Get an animal",
        "tags": [
          "pets"
        ],
        "x-deprecated-since": "2026-11-20",
        "x-successor": "listPets",
        "x-sunset": "2030-12-05"
      }
    }
  },
  "security": [
    {
      "bearer": []
    }
  ],
  "servers": [
    {
      "description": "Production",
      "url": "{base_url}",
      "variables": {
        "base_url": {
          "default": "http://127.0.0.1:8080/v1",
          "description": "Base URL of the production deployment, with the version segment. The default is a server on this machine."
        }
      },
      "x-deployment": "production"
    },
    {
      "description": "Staging",
      "url": "{staging_base_url}",
      "variables": {
        "staging_base_url": {
          "default": "http://127.0.0.1:8081/v1",
          "description": "Base URL of the staging deployment, with the version segment. The default is a staging server on this machine."
        }
      },
      "x-deployment": "staging"
    }
  ],
  "tags": [
    {
      "description": "The pets of the store.",
      "name": "pets"
    }
  ]
};
