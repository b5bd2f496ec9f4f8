// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/** The SHA-256 of the spec/openapi.yaml that the code was generated from. */
export const specDigest = '1684c27cc2e5a0dd6ece7085854b78b178a09c3e8ee002de9ea0c429cfa9a3cb';

/** The whole spec, parsed. */
export const openApiDocument: object = {
  "openapi": "3.1.0",
  "info": {
    "title": "Petstore",
    "version": "1.0.0",
    "summary": "A store of animals that can be listed, added and fetched by identifier.",
    "description": "The service keeps a catalogue of animals (pets) for a store. A client can list them, optionally by status, and add one.\n\nEvery operation needs an API key as a bearer token. Bodies are JSON. Whatever goes wrong is answered with an Error, whose\n`status` equals the HTTP status and whose `code` is one of a closed set.\n\nWhat is not described is refused, never ignored: an unknown or repeated query parameter, an unknown member of a body, an\ninteger in anything but decimal digits or beyond what JSON carries exactly. Paths are matched letter by letter.\n",
    "license": {
      "name": "MIT",
      "identifier": "MIT"
    }
  },
  "servers": [
    {
      "url": "{base_url}",
      "description": "Production",
      "x-deployment": "production",
      "variables": {
        "base_url": {
          "default": "http://127.0.0.1:8080/v1",
          "description": "The address of the production deployment, ending in the version segment. The default is where a server started on this machine listens."
        }
      }
    },
    {
      "url": "{staging_base_url}",
      "description": "Staging",
      "x-deployment": "staging",
      "variables": {
        "staging_base_url": {
          "default": "http://127.0.0.1:8081/v1",
          "description": "The address of the staging deployment, ending in the version segment. The default is where a server started on this machine as staging listens."
        }
      }
    }
  ],
  "security": [
    {
      "bearer": []
    }
  ],
  "tags": [
    {
      "name": "pets",
      "description": "The animals of the store."
    }
  ],
  "paths": {
    "/pets": {
      "get": {
        "operationId": "listPets",
        "tags": [
          "pets"
        ],
        "summary": "List animals",
        "description": "Answers a page of animals in ascending order of `id`, optionally only those with a given status. A full page carries a\n`Link` header with `rel=\"next\"` that leads to the page behind it.\n",
        "x-pagination": {
          "cursor": "after",
          "key": "id",
          "limit": "limit"
        },
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "description": "Maximum number of animals returned.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 100,
              "default": 20
            },
            "example": 50
          },
          {
            "name": "status",
            "in": "query",
            "description": "Return only animals with this availability status. An animal without a status matches none.",
            "schema": {
              "$ref": "#/components/schemas/PetStatus"
            },
            "example": "available"
          },
          {
            "name": "after",
            "in": "query",
            "description": "Return only animals whose identifier is greater than this one; `0` starts at the beginning.",
            "schema": {
              "type": "integer",
              "format": "int64",
              "minimum": 0,
              "maximum": 9007199254740991
            },
            "example": 20
          }
        ],
        "responses": {
          "200": {
            "description": "A page of animals, in ascending order of `id`.",
            "headers": {
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "Link": {
                "$ref": "#/components/headers/NextPage"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Pet"
                  }
                },
                "example": [
                  {
                    "id": 1,
                    "name": "Rex",
                    "categoryId": 2,
                    "status": "available"
                  },
                  {
                    "id": 2,
                    "name": "Tom",
                    "categoryId": 1
                  }
                ]
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
            "$ref": "#/components/responses/Failure"
          }
        }
      },
      "post": {
        "operationId": "createPet",
        "tags": [
          "pets"
        ],
        "summary": "Add an animal",
        "description": "Adds an animal and answers it with the identifier that the service assigned.",
        "requestBody": {
          "required": true,
          "description": "The animal to add. Members other than the ones listed are refused, never dropped.",
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/NewPet"
              },
              "example": {
                "name": "Rex",
                "categoryId": 2,
                "status": "available"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The added animal, including the assigned `id`.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                },
                "example": {
                  "id": 1,
                  "name": "Rex",
                  "categoryId": 2,
                  "status": "available"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/InvalidRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "default": {
            "$ref": "#/components/responses/Failure"
          }
        }
      }
    },
    "/pets/{petId}": {
      "get": {
        "operationId": "getPet",
        "tags": [
          "pets"
        ],
        "summary": "Get an animal",
        "description": "Answers one animal by its identifier. Use `GET /pets` with the `status` filter instead.",
        "deprecated": true,
        "x-deprecated-since": "2026-11-20",
        "x-sunset": "2030-12-05",
        "x-successor": "listPets",
        "parameters": [
          {
            "name": "petId",
            "in": "path",
            "required": true,
            "description": "Identifier of the animal to retrieve.",
            "schema": {
              "$ref": "#/components/schemas/PetId"
            },
            "example": 1
          }
        ],
        "responses": {
          "200": {
            "description": "The animal.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Pet"
                },
                "example": {
                  "id": 1,
                  "name": "Rex",
                  "categoryId": 2,
                  "status": "available"
                }
              }
            }
          },
          "304": {
            "description": "The version that `If-None-Match` names is still the current one.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "ETag": {
                "$ref": "#/components/headers/Version"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            }
          },
          "401": {
            "description": "The API key is missing or invalid.",
            "headers": {
              "WWW-Authenticate": {
                "$ref": "#/components/headers/Challenge"
              },
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error"
                },
                "example": {
                  "code": "unauthorized",
                  "message": "The API key is missing or invalid.",
                  "status": 401
                }
              }
            }
          },
          "404": {
            "description": "The requested animal could not be found. This is also the answer to a `petId` that no animal can have.",
            "headers": {
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error"
                },
                "example": {
                  "code": "not_found",
                  "message": "There is no animal with the identifier 7.",
                  "status": 404
                }
              }
            }
          },
          "default": {
            "description": "Anything else that can go wrong.",
            "headers": {
              "Allow": {
                "$ref": "#/components/headers/Allow"
              },
              "Retry-After": {
                "$ref": "#/components/headers/RetryAfter"
              },
              "Deprecation": {
                "$ref": "#/components/headers/Deprecation"
              },
              "Sunset": {
                "$ref": "#/components/headers/Sunset"
              },
              "Link": {
                "$ref": "#/components/headers/Successor"
              },
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Error"
                },
                "example": {
                  "code": "unavailable",
                  "message": "The store cannot be reached. Try again later.",
                  "status": 503
                }
              }
            }
          }
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "The API key as a bearer token: `Authorization: Bearer <API_KEY>`."
      }
    },
    "schemas": {
      "PetStatus": {
        "type": "string",
        "description": "Availability of the animal.",
        "enum": [
          "available",
          "pending",
          "sold"
        ]
      },
      "PetId": {
        "type": "integer",
        "format": "int64",
        "minimum": 1,
        "maximum": 9007199254740991,
        "description": "Unique identifier assigned by the service on creation."
      },
      "PetName": {
        "type": "string",
        "description": "The animal's name: any well-formed Unicode text without U+0000.",
        "pattern": "^[^\\u{0}\\u{D800}-\\u{DFFF}]*$"
      },
      "CategoryId": {
        "type": "integer",
        "format": "int64",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991,
        "description": "Identifier of the category the animal belongs to. Numbers that JSON cannot carry exactly are refused."
      },
      "NewPet": {
        "type": "object",
        "description": "An animal to add. The service assigns its identifier.",
        "additionalProperties": false,
        "required": [
          "name",
          "categoryId"
        ],
        "properties": {
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        }
      },
      "Pet": {
        "type": "object",
        "description": "An animal of the store.",
        "additionalProperties": false,
        "required": [
          "id",
          "name",
          "categoryId"
        ],
        "properties": {
          "id": {
            "$ref": "#/components/schemas/PetId"
          },
          "name": {
            "$ref": "#/components/schemas/PetName"
          },
          "categoryId": {
            "$ref": "#/components/schemas/CategoryId"
          },
          "status": {
            "$ref": "#/components/schemas/PetStatus"
          }
        }
      },
      "ErrorCode": {
        "type": "string",
        "description": "Machine-readable error code. The set is closed:\n\n- `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)\n- `unauthorized`: the API key is missing or invalid (401)\n- `not_found`: there is no such animal, or no such path (404)\n- `method_not_allowed`: the path exists, the method does not; `Allow` names those that do (405)\n- `payload_too_large`: the body is larger than the server takes (413)\n- `unsupported_media_type`: the body is not `application/json` (415)\n- `rate_limited`: too many requests with this key; `Retry-After` says when to come back (429)\n- `internal_error`: a fault of the service (500)\n- `unavailable`: the service cannot answer now; `Retry-After` says when to come back (503)\n",
        "enum": [
          "invalid_request",
          "unauthorized",
          "not_found",
          "method_not_allowed",
          "payload_too_large",
          "unsupported_media_type",
          "rate_limited",
          "internal_error",
          "unavailable"
        ],
        "x-statuses": {
          "invalid_request": 400,
          "unauthorized": 401,
          "not_found": 404,
          "method_not_allowed": 405,
          "payload_too_large": 413,
          "unsupported_media_type": 415,
          "rate_limited": 429,
          "internal_error": 500,
          "unavailable": 503
        }
      },
      "Error": {
        "type": "object",
        "description": "What every failed request is answered with.",
        "additionalProperties": false,
        "required": [
          "code",
          "message",
          "status"
        ],
        "properties": {
          "code": {
            "$ref": "#/components/schemas/ErrorCode"
          },
          "message": {
            "type": "string",
            "description": "Human-readable description."
          },
          "status": {
            "type": "integer",
            "minimum": 400,
            "maximum": 599,
            "description": "The HTTP status code of the response."
          }
        }
      }
    },
    "headers": {
      "RequestId": {
        "description": "Identifies the request in the logs of the server; the client's own, if it sent one.",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "0b9c6f3e-7a54-4d1c-9b0e-3f1f2a6f7c11"
      },
      "Version": {
        "description": "The version of what was answered, where the store knows it. Sent back as `If-None-Match`, it is answered 304 for as long as nothing has changed (RFC 9110).",
        "schema": {
          "type": "string"
        },
        "example": "W/\"1c9d44ab-10001\""
      },
      "NextPage": {
        "description": "Present when the page is full. `rel=\"next\"` leads to the page behind it (RFC 8288), relative to the request.",
        "schema": {
          "type": "string"
        },
        "example": "<?limit=20&after=20>; rel=\"next\""
      },
      "Successor": {
        "description": "The operation to use instead, as `rel=\"successor-version\"` (RFC 8288, RFC 5829).",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "</v1/pets>; rel=\"successor-version\""
      },
      "Deprecation": {
        "description": "Since when the operation is deprecated (RFC 9745).",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "@1795132800"
      },
      "Sunset": {
        "description": "When the operation is going to be removed (RFC 8594).",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "Thu, 05 Dec 2030 00:00:00 GMT"
      },
      "Challenge": {
        "description": "How to authenticate (RFC 6750).",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "Bearer"
      },
      "Allow": {
        "description": "With 405, the methods that the path knows.",
        "schema": {
          "type": "string"
        },
        "example": "GET, HEAD, POST"
      },
      "RetryAfter": {
        "description": "With 429 and 503, the seconds to wait before the next try.",
        "schema": {
          "type": "integer",
          "minimum": 0
        },
        "example": 1
      }
    },
    "responses": {
      "NotModified": {
        "description": "The version that `If-None-Match` names is still the current one.",
        "headers": {
          "ETag": {
            "$ref": "#/components/headers/Version"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        }
      },
      "InvalidRequest": {
        "description": "A parameter or the body is malformed, missing required fields, or contains invalid values.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "example": {
              "code": "invalid_request",
              "message": "body: must have required property 'categoryId'",
              "status": 400
            }
          }
        }
      },
      "Unauthorized": {
        "description": "The API key is missing or invalid.",
        "headers": {
          "WWW-Authenticate": {
            "$ref": "#/components/headers/Challenge"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "example": {
              "code": "unauthorized",
              "message": "The API key is missing or invalid.",
              "status": 401
            }
          }
        }
      },
      "Failure": {
        "description": "Anything else that can go wrong.",
        "headers": {
          "Allow": {
            "$ref": "#/components/headers/Allow"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          },
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            },
            "example": {
              "code": "unavailable",
              "message": "The store cannot be reached. Try again later.",
              "status": 503
            }
          }
        }
      }
    }
  }
};
