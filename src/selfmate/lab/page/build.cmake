# Called at installation: fetches what the page is made of when that changed, and bundles it to OUT.
# Without a network the rest of Selfmate is installed all the same.
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(fetched "${here}/node_modules/.package-lock.json")
set(failed 0)
if(NOT EXISTS "${fetched}" OR "${here}/package-lock.json" IS_NEWER_THAN "${fetched}")
  execute_process(COMMAND "${NPM}" ci --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY "${here}" RESULT_VARIABLE failed)
endif()
if(NOT failed)
  execute_process(COMMAND "${NODE}" build.mjs "${OUT}" WORKING_DIRECTORY "${here}" RESULT_VARIABLE failed)
endif()
if(failed)
  message(WARNING "the lab's page could not be built; `selfmate lab` will not work, all else will")
endif()
