# The command line of Evenhand: docker run --rm -v "$PWD:/data" evenhand score gold.conll system.conll
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE evenhand.cdx.json ./
COPY src ./src
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels ".[arrow,plot,zstd]"

# Without ENTRYPOINT, for platforms that run a scoring program: docker build --target scorer
FROM python:3.13-slim AS scorer
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links=/wheels "evenhand[arrow,plot,zstd]" \
    && useradd --create-home evenhand
USER evenhand
WORKDIR /data

FROM scorer
ENTRYPOINT ["evenhand"]
CMD ["--help"]
